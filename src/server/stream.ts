import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { pulsed } from '../base/pool.ts';
import type { Event } from '../schema/events.ts';

/** Milliseconds after which a stream that has nothing to say shows that it lives: proxies close what is silent for a minute. */
const HEARTBEAT = 15_000;

/**
 * Answers with server-sent events, each `event: <type>` and one `data:` line with the envelope (contract, section 4). Nothing is drawn from `events`
 * faster than the client reads; when it leaves, `events` is returned.
 */
export function sendEvents(reply: FastifyReply, events: AsyncGenerator<Event, void, void>): FastifyReply {
  const stream = Readable.from(frames(events), { objectMode: false, highWaterMark: 16_384 });
  reply.raw.once('close', () => void events.return()); // the stream's own end would come only after the next event
  return reply
    .type('text/event-stream; charset=utf-8')
    .headers({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
    .send(stream);
}

async function* frames(events: AsyncIterable<Event>): AsyncGenerator<string, void, void> {
  yield ': kb\n\n'; // the client learns at once that it is answered
  for await (const event of pulsed(events, HEARTBEAT)) yield event ? frame(event) : ': still here\n\n';
}

const frame = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
