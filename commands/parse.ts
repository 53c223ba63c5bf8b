import * as Args from '@oclif/core/args';
import { KbCommand } from '../src/cli/command.ts';
import { operationFlags, outputDir, readRequestFlags } from '../src/cli/flags.ts';
import { itemPrinter } from '../src/cli/printers/document-printer.ts';
import { operations } from '../src/schema/operations.ts';

export default class Parse extends KbCommand {
  static override summary = operations.parse.summary;
  static override description =
    'Reads PDF, Word, PowerPoint, Excel, OpenDocument, RTF, EPUB, Markdown, HTML, text, CSV, mail (EML, MBOX, MSG), notebooks, subtitles and pictures (OCR); with --kinds also source code, JSON, XML and ZIP in folders. Writes one document per line (JSON Lines).';
  static override examples = [
    '<%= config.bin %> parse manual.pdf',
    '<%= config.bin %> parse ./docs --output-dir markdown',
    '<%= config.bin %> parse ./docs | kb chunk | kb embed | kb store --collection manuals',
  ];
  static override strict = false;
  static override args = { path: Args.string({ description: 'Files, folders, globs or links', required: true }) };
  static override flags = { 'output-dir': outputDir, ...operationFlags(operations.parse, { omit: ['files', 'folder'] }) };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Parse);
    await this.withEngine(flags, async (context) => {
      await this.perform(context, 'parse', {
        request: { files: argv as string[], ...readRequestFlags(operations.parse.input, flags) },
        ...itemPrinter(context, argv as string[]),
      });
    });
  }
}
