/** Runs the command that the process was started with, and sets the exit code. `root` is the folder of kb's package.json. */
export async function main(root: string): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', leaveWhenClosed);
  const words = helpWords(process.argv.slice(2));
  const { run } = await import('@oclif/core/run'); // the whole of it, which commands need, takes longer to load
  try {
    await toItsEnd(run(words, { root }));
    process.stdout.write(fileCompletion(words));
  } catch (error) {
    const { reportFailure } = await import('./failure.ts');
    await reportFailure(error, words);
    endSoon();
  }
}

/** Milliseconds between checks whether a failed process may exit. */
const LOOK_EVERY = 500;

/** Ends a failed process once its output is written: requests of LanceDB to an unreachable bucket would keep it for minutes. */
function endSoon(): void {
  const isPrinted = () => process.stdout.writableLength + process.stderr.writableLength === 0;
  setInterval(() => isPrinted() && process.exit(), LOOK_EVERY).unref();
}

/** `kb help COMMAND` says what `kb COMMAND --help` says. */
const helpWords = (words: readonly string[]): string[] => (words[0] === 'help' ? [...words.slice(1), '--help'] : [...words]);

/** Waits for work. If the process would exit before it ends, because nothing is left that could continue, it reports a failure. */
export async function toItsEnd<Result>(work: Promise<Result>): Promise<Result> {
  let isWarned = false;
  const endLoudly = () => {
    if (!isWarned) {
      isWarned = true;
      return void setImmediate(() => {}); // another listener, such as a prompt left with Ctrl-D, may continue the work
    }
    process.stderr.write('Error: kb stopped before its work was done, which is a mistake in kb. Please report what you did.\n');
    process.exit(1);
  };
  process.on('beforeExit', endLoudly);
  return await work.finally(() => process.off('beforeExit', endLoudly));
}

/** What `kb autocomplete script bash` says after oclif's own line: where no command or flag fits, bash completes file names. Else empty. */
const fileCompletion = (words: readonly string[]): string =>
  words.join(' ') === 'autocomplete script bash'
    ? 'declare -F _kb_autocomplete >/dev/null && complete -o default -F _kb_autocomplete kb; # files, too\n'
    : '';

/** Exits silently if the reader of the output has gone (`kb retrieve … | head -1`); a full disk behind `>` is reported. */
function leaveWhenClosed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Error: the output cannot be written: ${error.message}\n`);
  process.exit(1);
}
