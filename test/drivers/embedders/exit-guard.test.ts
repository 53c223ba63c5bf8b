import { describe, expect, it } from 'vitest';
import { ExitGuard } from '../../../src/drivers/embedders/exit-guard.ts';

describe('the exit guard', () => {
  it('runs work until it is closed, also by another guard with the same memory', async () => {
    const gate = new ExitGuard();
    const other = new ExitGuard(gate.memory);
    expect(await other.run(async () => 'done')).toBe('done');
    gate.close();
    expect(other.isClosed).toBe(true);
    await expect(other.run(async () => 'late')).rejects.toThrow('shut');
  });

  it('does not wait for failed work when it closes', async () => {
    const gate = new ExitGuard();
    await expect(gate.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(new Int32Array(gate.memory)[1]).toBe(0); // nobody is left inside
    gate.close();
  });
});
