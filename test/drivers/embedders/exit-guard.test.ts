import { describe, expect, it } from 'vitest';
import { ExitGuard } from '../../../src/drivers/embedders/exit-guard.ts';

describe('a gate', () => {
  it('lets work through until it is shut, wherever its memory is used', async () => {
    const gate = new ExitGuard();
    const other = new ExitGuard(gate.memory);
    expect(await other.run(async () => 'done')).toBe('done');
    gate.close();
    expect(other.isClosed).toBe(true);
    await expect(other.run(async () => 'late')).rejects.toThrow('shut');
  });

  it('is not blocked by work that failed', async () => {
    const gate = new ExitGuard();
    await expect(gate.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(new Int32Array(gate.memory)[1]).toBe(0); // nobody is left inside
    gate.close();
  });
});
