import { KbError } from '../../base/errors.ts';
import type { Death } from './worker-process.ts';

/** A file that takes too long. */
export const lateFile = (source: string, { seconds }: { seconds: number }): KbError =>
  new KbError('too_large', `${source} was not read within ${seconds} s.`, { hint: 'Split it, or leave it out.' });

/** What V8 and the C++ library say before they abort. */
const OUT_OF_MEMORY = /out of memory|allocation failed|invalid size error|bad_alloc/i;

/** A file whose process died, of SIGKILL where it held more memory than its limit or the machine allows, or did not start. */
export function deadProcess(source: string, { code, signal, stderr }: Death, { megabytes }: { megabytes: number }): KbError {
  if (signal === 'SIGKILL' || OUT_OF_MEMORY.test(stderr))
    return new KbError('too_large', `${source} needs more than ${megabytes} MiB of memory to be read.`, {
      hint: 'Split it, or leave it out.',
    });
  if (code === null && signal === null)
    return new KbError('unavailable', `${source} cannot be read: no process could be started to parse it (${stderr}).`, {
      hint: 'Free memory, or raise the limit of processes, and try again.',
      isRetryable: true,
    });
  const said = /^(?:Uncaught )?\w*Error\b.*$/m.exec(stderr)?.[0].slice(0, 200);
  const reason = said ?? `the process that read it ended with ${signal ?? `code ${code}`}`;
  return new KbError('invalid', `${source} cannot be read: ${reason}.`, {
    hint: 'Open it in the program that made it, and save it again.',
  });
}
