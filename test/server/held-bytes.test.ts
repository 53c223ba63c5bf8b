import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { HeldBytes } from '../../src/server/held-bytes.ts';

const MIB = 2 ** 20;
const body = () => ({ raw: {} }) as FastifyRequest;
const result = () => ({ raw: {}, sent: false }) as unknown as FastifyReply;
const busy = expect.objectContaining({ code: 'unavailable', retryAfter: 5 });

it('limits what a client holds beside what it holds already', () => {
  const held = new HeldBytes();
  const [first, second] = [body(), result()];
  held.hold(first, 'a', 500 * MIB);
  expect(() => held.hold(second, 'a', MIB)).toThrow(busy);
  held.release(first);
  held.hold(second, 'a', 40 * MIB);
  held.hold(second, 'a', 60 * MIB);
  expect(() => held.hold(first, 'a', 5 * MIB)).toThrow(busy);
  held.hold(first, 'b', 60 * MIB);
  expect(() => held.hold(body(), 'c', 9 * MIB)).toThrow(busy);
  held.release(second);
  held.release(second);
  held.hold(body(), 'c', 60 * MIB);
});

it('refuses further work for a client that does not read its results', () => {
  const held = new HeldBytes();
  held.hold(body(), 'a', 60 * MIB);
  held.hold(result(), 'b', 33 * MIB);
  expect(() => held.assertRead('a')).not.toThrow();
  expect(() => held.assertRead('b')).toThrow(busy);
});
