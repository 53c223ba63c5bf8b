import { enableCompileCache } from 'node:module';
import { failed } from './failure.ts';

/** Runs the command that the process was started with, and sets the exit code. `root` is the folder of kb's package.json. */
export async function main(root: string): Promise<void> {
  enableCompileCache();
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leaveWhenClosed);
  const { run } = await import('@oclif/core');
  try {
    await run(process.argv.slice(2), { root });
  } catch (error) {
    await failed(error, process.argv.slice(2));
  }
}

/** Whoever reads has gone (`kb retrieve … | head -1`): there is nobody to tell. */
function leaveWhenClosed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}
