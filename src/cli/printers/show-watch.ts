import type { Event } from '../../schema/results.ts';
import { progressText } from '../progress.ts';
import { printable, type Screen } from '../screen.ts';

/** Tells beside the result what a watch does: a line with the time for each step, failures also with `--quiet`. */
export function watchTeller(screen: Screen): (event: Event) => void {
  let began = Date.now();
  return ({ type, stage, message, data }) => {
    if (type !== 'progress') return;
    if (stage === 'watch') began = Date.now();
    const counts = progressText(data, Date.now() - began);
    const isTold = stage === 'watch' || data.waiting === true || data.wait !== undefined;
    if (message && isTold) {
      const line = `${new Date().toTimeString().slice(0, 8)} ${printable(message)}`;
      if (data.state === 'failing') screen.warn(line);
      else screen.note(line);
    } else screen.status(stage === 'watch' || !counts ? undefined : `Ingesting: ${counts}`);
  };
}
