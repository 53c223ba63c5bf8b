import { enableCompileCache } from 'node:module';
import { Socket } from 'node:net';

/**
 * Answers the messages of the parent process, one after another, over descriptor 3; the first argument is the limit of resident memory in bytes. `load`
 * gives what answers a message.
 */
export async function serveParent<Message, Answer>(load: () => Promise<(message: Message) => Promise<Answer>>): Promise<void> {
  const channel = new Socket({ fd: 3, readable: true, writable: true });
  // the parent has closed it, or is gone
  channel.on('error', () => {}).on('close', () => process.exit());
  // A terminal sends them to all processes of its group: the parent decides what becomes of a document that is being read.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  // Libraries print what they think of a file.
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const) console[name] = () => {};

  enableCompileCache?.();
  const [{ onMessage, sendMessage }, { startWatchdog }, answer] = await Promise.all([
    import('./parse-messages.ts'),
    import('./watchdog.ts'),
    load(),
  ]);
  const tellWatchdog = startWatchdog({ bytes: Number(process.argv[2]) });
  onMessage(channel, (message) => void respond(message as Message));

  async function respond(message: Message): Promise<void> {
    tellWatchdog(true);
    await sendMessage(channel, await answer(message));
    tellWatchdog(false);
  }
}
