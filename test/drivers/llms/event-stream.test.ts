import { assert, asyncProperty, constantFrom, array, integer, string, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverEvents, type ServerEvent } from '../../../src/drivers/llms/anthropic.ts';

async function eventsOf(text: string, cuts: readonly number[] = []): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b);
  const pieces = ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
  const events: ServerEvent[] = [];
  for await (const event of serverEvents(
    (async function* () {
      yield* pieces;
    })(),
  ))
    events.push(event);
  return events;
}

describe('a stream of events', () => {
  it('has names and data, the name message where there is none', async () => {
    expect(await eventsOf('event: ping\ndata: {}\n\ndata:a\ndata: b\ndata\n\n')).toEqual([
      { event: 'ping', data: '{}' },
      { event: 'message', data: 'a\nb\n' },
    ]);
  });

  it('skips comments, fields that nobody needs, and events without data; keeps colons in data', async () => {
    expect(await eventsOf('\ufeff: hello\n\nid: 7\nretry: 5\ndata: a: b\n\nevent: empty\n\ndata:  c\n\n')).toEqual([
      { event: 'message', data: 'a: b' },
      { event: 'message', data: ' c' },
    ]);
  });

  it('that breaks off within an event has no such event', async () => {
    expect(await eventsOf('data: a\n\ndata: b\n')).toEqual([{ event: 'message', data: 'a' }]);
    expect(await eventsOf('data: a\n\ndata: b')).toEqual([{ event: 'message', data: 'a' }]);
    expect(await eventsOf('data: a\r\r')).toEqual([{ event: 'message', data: 'a' }]);
  });

  it('is the same however it is cut and however its lines end', async () => {
    const event = record({
      event: constantFrom('ping', 'delta', 'überraschung'),
      data: string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, '')),
    });
    await assert(
      asyncProperty(array(event), constantFrom('\n', '\r\n', '\r'), array(integer({ min: 0, max: 5000 })), async (events, end, cuts) => {
        const text = events.map(({ event: name, data }) => `event: ${name}${end}data: ${data}${end}${end}`).join('');
        expect(await eventsOf(text, cuts)).toEqual(events);
      }),
    );
  });
});
