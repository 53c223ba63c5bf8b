import { setTimeout as wait } from 'node:timers/promises';
import type { Event } from '../../schema/events.ts';
import type { JobFiles } from './files.ts';
import { EVENT_STAGE, lastEvents, noSuchJob } from './record.ts';

/** Milliseconds between two looks at the file of a job that another process runs: as often as that one writes it. */
const LOOK_EVERY = 1_000;

/** The events of a job as its files tell them: its progress while another process runs it, and its end. Throws a KbError (`not_found`). */
export async function* followed(id: string, files: JobFiles, signal: AbortSignal): AsyncGenerator<Event, void, void> {
  let told = '{}';
  for (let sequence = 0; !signal.aborted;) {
    const record = await files.read(id);
    if (!record) throw noSuchJob();
    if (record.state !== 'running') {
      for (const event of lastEvents(record, await files.readResult(id))) yield { ...event, sequence: sequence++ };
      return;
    }
    const data = record.progress;
    if (JSON.stringify(data) !== told)
      yield { type: 'progress', stage: EVENT_STAGE[record.operation], message: '', data, sequence: sequence++ };
    told = JSON.stringify(data);
    await wait(LOOK_EVERY, undefined, { signal }).catch(() => {}); // its reader has left
  }
}
