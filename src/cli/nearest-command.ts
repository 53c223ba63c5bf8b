import { nearest } from '../core/nearest.ts';

/** What others call what kb does. */
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

/** The command that was probably meant, in meaning or in letters; undefined where none is near. `words` are what stands there, `known` the commands (`collections list`). */
export function meantCommand(words: readonly string[], known: readonly string[]): string | undefined {
  const [topic = '', ...rest] = words.map((word) => word.toLowerCase());
  const inTopic = SYNONYMS[rest[0] ?? ''] ?? rest[0];
  const synonym = rest.length === 0 ? SYNONYMS[topic] : `${topic} ${inTopic?.replace(`${topic} `, '')}`;
  return synonym !== undefined && known.includes(synonym) ? synonym : nearest(words.join(' '), known);
}
