import { describe, expect, it } from 'vitest';
import { Gate } from '../../../src/drivers/embedders/gate.ts';

describe('a gate', () => {
  it('lets work through until it is shut, wherever its memory is used', async () => {
    const gate = new Gate();
    const other = new Gate(gate.memory);
    expect(await other.through(async () => 'done')).toBe('done');
    gate.shut();
    expect(other.isShut).toBe(true);
    await expect(other.through(async () => 'late')).rejects.toThrow('shut');
  });

  it('is not blocked by work that failed', async () => {
    const gate = new Gate();
    await expect(gate.through(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(new Int32Array(gate.memory)[1]).toBe(0); // nobody is left inside
    gate.shut();
  });
});
