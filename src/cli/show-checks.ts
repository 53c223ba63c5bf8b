import type { DoctorCheck } from '../schema/doctor.ts';
import { wrappedRow } from './markdown/flow.ts';
import { printable, type Screen } from './screen.ts';

/** A line a check, the configuration file first: it could be read, or nothing would be shown. */
export function showChecks(checks: readonly DoctorCheck[], { screen, file }: { screen: Screen; file: string | undefined }): void {
  const { color } = screen;
  const marks = { ok: color.green('✓'), warning: color.yellow('!'), failed: color.red('✗') };
  const configuration: DoctorCheck = {
    name: 'config',
    status: 'ok',
    message: file ?? 'no kb.config.yaml from here upwards: the defaults hold (kb init writes one)',
  };
  for (const { name, status, message } of [configuration, ...checks])
    screen.print(wrappedRow(`${marks[status]} ${name.padEnd(10)} `, printable(message), screen.columns));
}
