// Adds one to the number in a file under its lock, so many times: node brief-lock-process.mjs FILE COUNT HOURS. Its clock goes HOURS ahead.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const [file, count, hours] = process.argv.slice(2);
const now = Date.now;
Date.now = () => now() + Number(hours) * 3_600_000;
const { withBriefLock } = await import('../../src/core/brief-lock.ts');

for (let i = 0; i < Number(count); i++) {
  await withBriefLock(file, async () => {
    const number = Number(readFileSync(file, 'utf8'));
    await wait(Math.random() * 3);
    writeFileSync(file, String(number + 1));
  });
}
