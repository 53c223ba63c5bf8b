import { KbError } from '../core/errors.ts';

/** For a command that is promised and not built yet: it says so and fails, whatever is asked of it. */
export function notYet(command: string, instead: string): never {
  throw new KbError('setup', `kb ${command} is not part of this version yet.`, { hint: instead });
}
