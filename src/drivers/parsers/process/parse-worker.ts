import { enableCompileCache } from 'node:module';
import { Socket } from 'node:net';
import type { ParseTask } from './parse-messages.ts';
import type { ParseAnswer } from './worker-process.ts';

// The process that documents are parsed in. It is given the limit of its resident memory in bytes, and talks over its descriptor 3.

const channel = new Socket({ fd: 3, readable: true, writable: true });
// the parent has closed it, or is gone
channel.on('error', () => {}).on('close', () => process.exit());
// A terminal sends them to all processes of its group: the parent decides what becomes of a document that is being parsed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Libraries print what they think of a file.
for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};

enableCompileCache?.();
const [{ onMessage, sendMessage }, { parseTasks }, { startWatchdog }] = await Promise.all([
  import('./parse-messages.ts'),
  import('../parse.ts'),
  import('./watchdog.ts'),
]);
const tellWatchdog = startWatchdog({ bytes: Number(process.argv[2]) });
onMessage(channel, (message) => void answer(message as ParseTask[]));

async function answer(tasks: readonly ParseTask[]): Promise<void> {
  tellWatchdog(true);
  const outcomes = await parseTasks(tasks);
  const message: ParseAnswer = { outcomes, resident: process.memoryUsage.rss() };
  await sendMessage(channel, message);
  tellWatchdog(false);
}
