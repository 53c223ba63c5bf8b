import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeBody, monitorPace, MIN_BYTES, CHECK_INTERVAL } from '../../src/server/request-bodies.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a steady request is accepted, and one that only drips is rejected', async () => {
  const connection = { bytesRead: 500_000 };
  const { tooSlow, release } = monitorPace(connection);
  let refused: unknown;
  tooSlow.catch((error: unknown) => (refused = error));
  for (let i = 0; i < 5; i++) {
    connection.bytesRead += MIN_BYTES;
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  }
  expect(refused).toBeUndefined();
  connection.bytesRead += 20;
  await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  expect(refused).toMatchObject({ statusCode: 408, message: expect.stringContaining('too slowly') });
  release();
});

it('a released monitor checks nothing more', async () => {
  const { tooSlow, release } = monitorPace({ bytesRead: 0 });
  release();
  await vi.advanceTimersByTimeAsync(10 * CHECK_INTERVAL);
  expect(await Promise.race([tooSlow, Promise.resolve('at peace')])).toBe('at peace');
  expect(vi.getTimerCount()).toBe(0);
});

it('a client is not rejected for the time in which the server was blocked', async () => {
  const connection = { bytesRead: 0 };
  const { tooSlow, release } = monitorPace(connection);
  let refused: unknown;
  tooSlow.catch((error: unknown) => (refused = error));
  vi.setSystemTime(Date.now() + 10 * CHECK_INTERVAL); // a suspended process: its timers fire before its sockets are read
  await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  expect(refused).toBeUndefined();
  await vi.advanceTimersByTimeAsync(CHECK_INTERVAL);
  expect(refused).toMatchObject({ statusCode: 408 });
  release();
});

describe('a decoded body', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');

  it('is UTF-8, or what its charset says', () => {
    expect(decodeBody(Buffer.from('Öl 日本'))).toBe('Öl 日本');
    expect(decodeBody(latin('Öl'), 'iso-8859-1')).toBe('Öl');
    expect(decodeBody(Buffer.from('Öl', 'utf16le'), 'utf-16le')).toBe('Öl');
    expect(decodeBody(Buffer.from('Öl'), 'iso-8859-1')).toBe('Öl'); // valid UTF-8 wins over a single-byte label
  });

  it('that does not fit is refused with the position of the byte', () => {
    for (const [bytes, position] of [
      [latin('aÖl'), 1],
      [Buffer.concat([Buffer.from('日本'), Buffer.from([0xff]), Buffer.from('x'.repeat(1000))]), 6],
      [Buffer.from('a日').subarray(0, 3), 1],
    ] as const)
      expect(() => decodeBody(bytes)).toThrow(
        expect.objectContaining({ code: 'usage', message: expect.stringContaining(`position ${position} `) }),
      );
    expect(() => decodeBody(latin('Ö'), 'klingon')).toThrow('"klingon"');
  });
});
