import { Chalk } from 'chalk';
import type { Screen } from '../../src/cli/screen.ts';

/** A screen that keeps what is said on it. */
export function paper(
  rest: Partial<Screen> = {},
): Screen & { out: string[]; notes: string[]; warnings: string[]; states: (string | undefined)[] } {
  const [out, notes, warnings, states]: [string[], string[], string[], (string | undefined)[]] = [[], [], [], []];
  return {
    isTerminal: false,
    quiet: false,
    json: false,
    columns: undefined,
    color: new Chalk({ level: 0 }),
    colorBeside: new Chalk({ level: 0 }),
    print: (text) => void out.push(text),
    report: (text) => void (rest.quiet || out.push(text)),
    printJson: (value) => void out.push(JSON.stringify(value)),
    write: (text) => void out.push(text),
    waitForDrain: () => undefined,
    note: (text) => void notes.push(text),
    warn: (text) => void warnings.push(text),
    status: (text) => void states.push(text),
    ...rest,
    out,
    notes,
    warnings,
    states,
  };
}
