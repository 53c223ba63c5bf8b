/** Runs the command that the process was started with, and sets the exit code. `root` is the folder of kb's package.json. */
export async function main(root: string): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', exitOnOutputError);
  const words = expandHelp(process.argv.slice(2));
  await prepareParsing(words);
  if (await runCommandLine(words, root)) process.stdout.write(fileCompletion(words));
  else exitWhenFlushed();
}

/** Names of files that another process parses: those with an extension, but short texts. */
const PARSED = /\.(?!(?:md|markdown|txt)$)\w+$/i;

/** Starts the process that parses the file of `kb parse FILE` while the program loads. */
async function prepareParsing([command, ...words]: readonly string[]): Promise<void> {
  const file = words.find((word) => !word.startsWith('-'));
  if (command !== 'parse' || file === undefined || !PARSED.test(file)) return;
  const { prepareReader } = await import('@citekb/documents/prepare');
  prepareReader(file);
}

/** Runs a command to its end. If it fails, says why and sets the exit code. Returns whether it succeeded. */
export async function runCommandLine(words: readonly string[], root: string): Promise<boolean> {
  const { run } = await import('@oclif/core/run');
  try {
    await failIfUnfinished(run([...words], { root }));
    return true;
  } catch (error) {
    const { reportFailure } = await import('./failure.ts');
    await reportFailure(error, words);
    return false;
  }
}

/** Milliseconds between checks whether the output of a failed process is written. */
const FLUSH_CHECK_INTERVAL = 500;

/** Ends a failed process once its output is written: requests of LanceDB to an unreachable bucket would keep it for minutes. */
function exitWhenFlushed(): void {
  const isFlushed = () => process.stdout.writableLength + process.stderr.writableLength === 0;
  setInterval(() => isFlushed() && process.exit(), FLUSH_CHECK_INTERVAL).unref();
}

/** Rewrites `kb help COMMAND` as `kb COMMAND --help`. */
const expandHelp = (words: readonly string[]): string[] => (words[0] === 'help' ? [...words.slice(1), '--help'] : [...words]);

/** Waits for work. Reports a failure if the process would exit before, because nothing is left that could continue the work. */
export async function failIfUnfinished<Result>(work: Promise<Result>): Promise<Result> {
  let isWarned = false;
  const reportUnfinished = () => {
    if (!isWarned) {
      isWarned = true;
      return void setImmediate(() => {}); // another listener, such as a prompt left with Ctrl-D, may continue the work
    }
    process.stderr.write('Error: kb stopped before its work was done, which is a mistake in kb. Please report what you did.\n');
    process.exit(1);
  };
  process.on('beforeExit', reportUnfinished);
  return await work.finally(() => process.off('beforeExit', reportUnfinished));
}

/** Extra output of `kb autocomplete script bash`, so that bash completes file names if no command or flag fits. Empty for other commands. */
const fileCompletion = (words: readonly string[]): string =>
  words.join(' ') === 'autocomplete script bash'
    ? 'declare -F _kb_autocomplete >/dev/null && complete -o default -F _kb_autocomplete kb; # files, too\n'
    : '';

/** Exits silently if the reader of the output has gone (`kb retrieve … | head -1`); a full disk behind `>` is reported. */
function exitOnOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`Error: the output cannot be written: ${error.message}\n`);
  process.exit(1);
}
