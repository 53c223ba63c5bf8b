import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';

/** The logger of the server. */
export type Log = FastifyBaseLogger;

/** How entries are written to standard error, one line each. */
interface LogOptions {
  /** Whether only errors are logged. */
  quiet: boolean;
  /** Whether it is written for a terminal: a short line instead of a JSON object. */
  isTerminal: boolean;
}

/** Creates the log of the server. It names routes, tokens, collections and numbers: no bodies, no query strings, no headers. */
export function createLog({ quiet, isTerminal }: LogOptions): Log {
  const write = isTerminal
    ? (line: string) => process.stderr.write(`${formatEntry(line)}\n`)
    : (line: string) => process.stderr.write(line);
  return pino(
    {
      level: quiet ? 'error' : 'info',
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      serializers: { req: () => undefined, res: () => undefined },
    },
    { write },
  );
}

interface Entry {
  time: string;
  level: string;
  msg?: string;
  method?: string;
  path?: string;
  status?: number;
  seconds?: number;
  token?: string;
  who?: string;
  operation?: string;
  collections?: readonly string[];
  outcome?: string;
  counts?: Record<string, number>;
  error?: string;
  err?: { stack?: string };
}

function formatEntry(line: string): string {
  const entry = JSON.parse(line) as Entry;
  const { time, level, msg = '', method, path, status, seconds, token, error, err } = entry;
  const at = new Date(time).toTimeString().slice(0, 8);
  if (entry.operation) return `${at}  ${formatOperation(entry)}`;
  if (method) return `${at}  ${status}  ${method} ${path}  ${((seconds ?? 0) * 1000).toFixed(0)} ms${token ? `  ${token}` : ''}`;
  return [`${at}  ${level === 'info' ? '' : `${level}: `}${msg}`, error, err?.stack].filter(Boolean).join('\n');
}

/** Writes a line about an operation that changes what is stored. */
const formatOperation = ({ who, operation, collections = [], outcome, counts = {} }: Entry): string =>
  [`${who}: ${operation} ${collections.join(', ')}, ${outcome}`, ...Object.entries(counts).map(([name, count]) => `${name} ${count}`)].join(
    ', ',
  );
