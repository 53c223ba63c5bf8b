import { describe, toEnvelope, isAbort, KbError } from '../core/errors.ts';
import { packageRoot } from '../core/project.ts';
import { wrapText } from './markdown/line-wrapper.ts';
import { formatJson, makePrintable } from './screen.ts';
import { findNearest } from '../core/nearest.ts';

/** Exit codes (contract, section 3). */
export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const USAGE = new Set(['usage', 'configuration', 'setup']);

/** Returns the exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (isAbort(error)) return EXIT.interrupted;
  if (error instanceof KbError) return USAGE.has(error.code) ? EXIT.usage : EXIT.failed;
  return isUsageError(error) ? EXIT.usage : EXIT.failed;
}

/** Whether oclif could not parse the command line. */
const isUsageError = (error: unknown): error is Error =>
  error instanceof Error && ('oclif' in error || error.constructor.name.startsWith('CLI'));

/** Prints an error, with `--json` as the exception envelope on standard output, and sets the exit code. */
export async function reportFailure(error: unknown, argv: readonly string[]): Promise<void> {
  const exitCode = oclifExitCode(error);
  if (exitCode !== undefined) {
    process.exitCode = exitCode;
    return;
  }
  const reported = isUsageError(error) ? new KbError('usage', await rewriteUsageError(error, argv)) : error;
  process.exitCode = exitCodeOf(reported);
  const wantsJson = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  if (wantsJson) process.stdout.write(`${formatJson(process.stdout, toEnvelope(reported))}\n`);
  const { isTTY, columns } = process.stderr;
  if (!wantsJson || isAbort(error)) process.stderr.write(`${wrapText(formatError(reported), isTTY ? columns : undefined)}\n`);
}

/** Returns the exit code if oclif ended the program: `--help` and `--version` throw an error EEXIT that is no failure. */
function oclifExitCode(error: unknown): number | undefined {
  const { code, oclif } = error as { code?: string; oclif?: { exit?: number } };
  return code === 'EEXIT' ? (oclif?.exit ?? 0) : undefined;
}

/** Formats an error for the terminal. Text from a server or a file in it cannot control the terminal. */
export function formatError(error: unknown): string {
  const text = makePrintable(describe(error));
  if (isAbort(error)) return text;
  return process.env.KB_DEBUG && error instanceof Error ? `${text}\n${makePrintable(error.stack ?? '')}` : `Error: ${text}`;
}

/** Rewrites oclif's message as one sentence, with the command or flag that was probably meant. */
async function rewriteUsageError(error: Error, argv: readonly string[]): Promise<string> {
  const unknownFlag = /Nonexistent flags?: (\S+?),?\s/.exec(`${error.message} `)?.[1];
  if (unknownFlag) return `There is no flag ${unknownFlag}.${await suggestFlag(unknownFlag, argv)}`;
  const unknownCommand = /^Command (.+) not found/i.exec(error.message)?.[1];
  if (unknownCommand?.startsWith('-')) return `Flags such as ${unknownCommand} stand behind the command. kb --help shows all commands.`;
  if (unknownCommand) return await explainUnknownCommand(unknownCommand.split(':'));
  const missing = /^Missing \d+ required args?:\n(\w+)/.exec(error.message)?.[1];
  if (missing) return `${missing.toUpperCase()} is missing. Try --help.`;
  const missingFlag = /Missing required flag (\S+)/.exec(error.message)?.[1];
  if (missingFlag) return `--${missingFlag} is missing. Try --help.`;
  const unexpected = /^Unexpected arguments?: ([^\n]*)/.exec(error.message)?.[1];
  if (unexpected) return `Nothing is expected at "${unexpected}".${unexpectedHint(unexpected, argv)} Try --help.`;
  const message = error.message
    .trimEnd()
    .replace(/See more help with --help$/, '')
    .trimEnd()
    .replace(/(?<!\s)\s*\n\s*/g, ' ');
  return `${message.replace(/[^.!?]$/, '$&.')} Try --help.`;
}

function unexpectedHint(word: string, argv: readonly string[]): string {
  const [command = '', second = '', name = 'NAME'] = argv.filter((one) => !one.startsWith('-'));
  if (`${command} ${second}` === 'collections export')
    return ` An export goes to standard output: kb collections export ${name} > ${word}.`;
  if (`${command} ${second}` === 'collections import')
    return ` An export is read from standard input: kb collections import ${name} < ${word}.`;
  return QUESTION_COMMANDS.has(command) ? ' A question of several words stands in quotes.' : '';
}

/** Commands that take a question. */
const QUESTION_COMMANDS = new Set(['chat', 'retrieve']);

async function suggestFlag(flag: string, argv: readonly string[]): Promise<string> {
  const config = await commandConfig();
  const words = argv.filter((word) => !word.startsWith('-'));
  const command = config.findCommand(words.slice(0, 2).join(':')) ?? config.findCommand(words[0] ?? '');
  const { id = '', flags = {}, args = {} } = command ?? {};
  return ` ${suggestFlags(flag.replace(/^-+/, ''), { command: id.replaceAll(':', ' '), flags: Object.keys(flags), args: Object.keys(args) })}`;
}

/** Flags of ragrails and fields of requests, and what kb calls them. */
const FLAG_SYNONYMS: Record<string, readonly string[]> = {
  'batch-size': ['embedding-batch-size', 'storage-batch-size'],
  'collection-name': ['collection'],
  context: ['rewrite-context'],
  doc: ['docs'],
  embedder: ['embedding-provider'],
  'embedder-model': ['embedding-model'],
  'embedder-provider': ['embedding-provider'],
  file: ['docs'],
  files: ['docs'],
  folder: ['docs'],
  history: ['history-file'],
  limit: ['top-k'],
  'max-context': ['max-context-chunks'],
  mode: ['crawl-mode'],
  model: ['embedding-model', 'llm-model'],
  overlap: ['chunk-overlap'],
  path: ['docs'],
  provider: ['embedding-provider', 'llm-provider'],
  'rerank-model': ['reranker-model'],
  'rerank-provider': ['reranker'],
  'reranker-provider': ['reranker'],
  rewrite: ['query-rewrite', 'use-query-rewrite'],
  'session-context': ['rewrite-context'],
  'storage-collection': ['collection'],
  url: ['urls', 'storage-url'],
  'use-query-rewrite': ['query-rewrite'],
  'use-rerank': ['rerank'],
  'vector-db-url': ['storage-url'],
  'vector-store': ['vector-db'],
};

/** Flags of ragrails for what kb takes without a flag, by the name of the argument. */
const FLAGS_OF_ARGUMENTS: Record<string, readonly string[]> = {
  query: ['question', 'q'],
  path: ['docs', 'doc', 'files', 'file', 'folder', 'paths'],
  url: ['urls', 'address'],
  api: ['apis', 'url', 'urls'],
};

/** Suggests what to write instead of an unknown flag: by meaning, else by spelling. */
export function suggestFlags(
  flag: string,
  { command, flags, args }: { command: string; flags: readonly string[]; args: readonly string[] },
): string {
  const argument = args.find((name) => name === flag || FLAGS_OF_ARGUMENTS[name]?.includes(flag));
  if (argument !== undefined) return `It stands without a flag: kb ${command} ${argument.toUpperCase()}.`;
  const known = Object.hasOwn(FLAG_SYNONYMS, flag) ? FLAG_SYNONYMS[flag]! : [];
  const synonyms = known.filter((name) => flags.includes(name));
  const meant = synonyms.length > 0 ? synonyms : [findNearest(flag, flags)].filter((name) => name !== undefined);
  return meant.length > 0 ? `Did you mean ${meant.map((name) => `--${name}`).join(' or ')}?` : 'Try --help.';
}

/** `words`: the topic if any, the command and its arguments. */
async function explainUnknownCommand(words: readonly string[]): Promise<string> {
  const config = await commandConfig();
  const isTopic = config.commandIDs.some((id) => id.startsWith(`${words[0]}:`));
  const name = words.slice(0, isTopic ? 2 : 1);
  if (config.commandIDs.includes(name.join(':')))
    return `kb ${name.join(' ')} takes no argument "${words.slice(name.length).join(':')}". Name it with a flag, such as --docs or --collection; --help shows them.`;
  const meant = suggestCommand(
    name,
    config.commandIDs.map((id) => id.replaceAll(':', ' ')),
  );
  const hint = meant ? `Did you mean "kb ${meant}"?` : 'kb --help shows them all.';
  return `There is no command "${name.join(' ')}". ${hint}`;
}

async function commandConfig() {
  const { Config } = await import('@oclif/core/config');
  return await Config.load({ root: packageRoot });
}

/** Commands of other programs, and what kb calls them. */
const SYNONYMS: Record<string, string> = {
  add: 'ingest',
  ask: 'chat',
  check: 'doctor',
  collection: 'collections list',
  config: 'init',
  convert: 'parse',
  crawl: 'scrape',
  export: 'collections export',
  find: 'retrieve',
  import: 'collections import',
  index: 'ingest',
  list: 'collections list',
  load: 'ingest',
  lookup: 'retrieve',
  ls: 'collections list',
  open: 'chat',
  reembed: 'collections reembed',
  reindex: 'ingest',
  remove: 'delete',
  rm: 'delete',
  search: 'retrieve',
  server: 'serve',
  setup: 'init',
  show: 'collections show',
  split: 'chunk',
  start: 'serve',
  status: 'doctor',
  stats: 'collections show',
  sync: 'ingest',
  talk: 'chat',
  update: 'ingest',
  vectorize: 'embed',
};

/**
 * Finds the command that was probably meant, by synonym or spelling; undefined if none is near. `words`: the typed words; `known`: the
 * commands (`collections list`).
 */
export function suggestCommand(words: readonly string[], known: readonly string[]): string | undefined {
  const [topic = '', ...rest] = words.map((word) => word.toLowerCase());
  const inTopic = SYNONYMS[rest[0] ?? ''] ?? rest[0];
  const synonym = rest.length === 0 ? SYNONYMS[topic] : `${topic} ${inTopic?.replace(`${topic} `, '')}`;
  return synonym !== undefined && known.includes(synonym) ? synonym : findNearest(words.join(' '), known);
}
