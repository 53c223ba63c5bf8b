import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/server/queues.ts';

const forever = new AbortController().signal;
const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are given in the order in which they were asked for', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const ask = (name: string) => slots.enter(forever, () => order.push(`${name} waits`)).then(() => order.push(name));
    await ask('a');
    const others = [ask('b'), ask('c')];
    slots.leave();
    slots.leave();
    await Promise.all(others);
    expect(order).toEqual(['a', 'b waits', 'c waits', 'b', 'c']);
  });

  it('are not taken by who was stopped before', async () => {
    const slots = new Slots(1);
    await expect(slots.enter(AbortSignal.abort(), () => {})).rejects.toMatchObject({ code: 'aborted' });
    await slots.enter(forever, () => expect.unreachable());
  });

  it('are never more than there are, and none is lost, whoever leaves or gives up', async () => {
    const steps = fc.array(fc.constantFrom('enter', 'leave', 'give up', 'give up and leave', 'leave and give up', 'pause'), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (size, script) => {
        const slots = new Slots(size);
        const held: object[] = [];
        const waiting = new Map<object, AbortController>();
        const leave = () => held.pop() && slots.leave();
        const giveUp = () => waiting.values().next().value?.abort();
        const enter = () => {
          const self = {};
          const stop = new AbortController();
          waiting.set(self, stop);
          const settled = slots
            .enter(stop.signal, () => {})
            .then(
              () => held.push(self),
              () => {},
            );
          void settled.then(() => waiting.delete(self));
        };
        for (const step of script) {
          if (step === 'enter') enter();
          if (step.startsWith('give up')) giveUp();
          if (step.includes('leave')) leave();
          if (step === 'leave and give up') giveUp();
          if (step === 'pause') await turns();
          if (step === 'pause') expect(held.length === size || waiting.size === 0).toBe(true);
          expect(held.length).toBeLessThanOrEqual(size);
        }
        await turns();
        while (held.length > 0 || waiting.size > 0) {
          expect(held.length === size || waiting.size === 0).toBe(true);
          leave();
          await turns();
        }
      }),
      { numRuns: 200 },
    );
  });
});
