import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { onMessage, sendMessage } from '../../src/process/worker-process.ts';

/** What arrives of these values when the stream between is cut into pieces of so many bytes. */
async function transmitted(values: readonly unknown[], size: number): Promise<unknown[]> {
  const sent = new PassThrough();
  const pieces: Buffer[] = [];
  sent.on('data', (piece: Buffer) => pieces.push(piece));
  for (const value of values) await sendMessage(sent, value);
  const bytes = Buffer.concat(pieces);
  const received: unknown[] = [];
  const wire = new PassThrough();
  onMessage(wire, (value) => received.push(value));
  for (let at = 0; at < bytes.length; at += size) wire.write(bytes.subarray(at, at + size));
  await new Promise((resolve) => wire.end().on('end', resolve));
  return received;
}

describe('messages', () => {
  it('arrive complete with any chunk boundaries of the stream', async () => {
    const values = [{ text: 'Ä😀', at: new Date(0), none: undefined }, [new Uint8Array([1, 2, 3])], '', 'x'.repeat(1000)];
    for (const size of [1, 3, 4, 5, 64, 1e6]) expect(await transmitted(values, size)).toEqual(values);
  });

  it('are written in bounded pieces', async () => {
    const written: number[] = [];
    let waiting = 0;
    const slow = new Writable({
      write(piece: Buffer, _encoding, done) {
        written.push(piece.length);
        waiting += 1;
        setImmediate(() => {
          waiting -= 1;
          done();
        });
        expect(waiting).toBe(1);
      },
    });
    await sendMessage(slow, new Uint8Array(3_000_000));
    expect(Math.max(...written)).toBeLessThanOrEqual(262_148);
    expect(written.reduce((sum, size) => sum + size)).toBeGreaterThan(3_000_000);
  });

  it('that are unreadable destroy only the stream', async () => {
    const wire = new PassThrough();
    const received: unknown[] = [];
    onMessage(wire, (value) => received.push(value));
    const broken = once(wire, 'error');
    wire.write(Buffer.from([2, 0, 0, 0, 1, 2]));
    expect(String(await broken)).toMatch(/Error/);
    expect(received).toEqual([]);
  });

  it('that cannot be written reject the promise', async () => {
    const broken = new PassThrough();
    broken.on('error', () => {}).destroy();
    await expect(sendMessage(broken, 'x')).rejects.toThrow();
  });
});
