import * as Args from '@oclif/core/args';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags } from '../src/cli/flags.ts';
import { makePrintable } from '../src/cli/screen.ts';
import { operations } from '../src/schema/operations.ts';

export default class SetupOcr extends KbCommand {
  static override summary = operations.setup_ocr.summary;
  static override description =
    'Installs tesseract.js and the data of languages with npm into a folder of your user. Nothing is downloaded later: OCR works offline.';
  static override examples = ['<%= config.bin %> setup-ocr eng', '<%= config.bin %> setup-ocr eng deu'];
  static override strict = false;
  static override args = { language: Args.string({ description: 'Languages, as Tesseract names them: eng, deu, fra …', required: true }) };
  static override flags = operationFlags(operations.setup_ocr);

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SetupOcr);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'setup_ocr', {
        request: { languages: argv as string[] },
        title: 'Setting up OCR',
        waiting: 'Setting up OCR',
        result: ({ message }) => context.screen.print(makePrintable(message)),
      });
    });
  }
}
