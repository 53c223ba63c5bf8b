import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settle } from '../src/core/run.ts';
import { createEngine } from '../src/engine/engine.ts';
import type { Embedder } from '../src/ports/models.ts';
import type { Collection, StoredChunk, VectorStore } from '../src/ports/stores.ts';
import { Config, DEFAULTS } from '../src/schema/config.ts';
import type { GoldenQuestion } from '../src/schema/evaluation.ts';
import { jsonLines, readSet, type BenchQuery } from './beir.ts';
import { collectionOf } from './collection.ts';

/** Whether something answers a question: something does, nothing though it is near the subject, nothing since it is about something else. */
export type Kind = 'answerable' | 'close' | 'elsewhere';

/** A question that is put to a collection. */
export interface Case {
  set: string;
  /** What weights are fitted on, or what they are only measured on. */
  part: 'fit' | 'held';
  kind: Kind;
  question: GoldenQuestion;
  collection: Collection;
}

export interface Places {
  /** A set of questions about files: `questions.jsonl` and `docs/`. */
  documents?: string | undefined;
  /** A set in BEIR layout whose questions have answers in `metadata.answers`, and `queries_unanswerable.jsonl`. */
  passages?: string | undefined;
  /** A folder with the manuals of other projects that bench/manuals asks about, each in a folder of its name. */
  manuals?: string | undefined;
  /** Sets in BEIR layout on other subjects. */
  others: readonly string[];
  /** Where collections are made, and found again. */
  into: string;
}

const here = dirname(fileURLToPath(import.meta.url));
/** The handbooks whose questions are only measured. */
const HELD_BOOKS = ['guesthouse', 'ebike'];
/** The manuals whose questions are only measured: they were asked when the weights were set. */
const HELD_MANUALS = new Set(['eight-projects']);
const partOf = (isHeld: boolean): Case['part'] => (isHeld ? 'held' : 'fit');
const sample = <T>(items: readonly T[], { every, from = 0, most = Infinity }: { every: number; from?: number; most?: number }): T[] =>
  items.filter((_, i) => i % every === from % every).slice(0, most);
const asked = (text: string): GoldenQuestion => ({ question: text, answerable: false });
const elsewhere = (): GoldenQuestion[] => jsonLines(join(here, 'handbooks', 'elsewhere.jsonl'));

/** A folder of files, read as `kb ingest` reads it. */
export async function collectionOfFiles(
  folder: string,
  name: string,
  { into, store }: { into: string; store: VectorStore },
): Promise<Collection> {
  const known = await store.open(name);
  if (known) return known;
  const engine = createEngine({
    config: Config.parse({ ...DEFAULTS, collection: name, storage: { ...DEFAULTS.storage, url: into } }),
    home: folder,
  });
  try {
    await settle(engine.run('ingest', { docs: { folder: '.' } }));
  } finally {
    await engine.close();
  }
  return (await store.open(name))!;
}

/** Every chunk of a collection with its vector, by source. */
async function chunksBySource(collection: Collection): Promise<Map<string, StoredChunk[]>> {
  const all = new Map<string, StoredChunk[]>();
  for await (const page of collection.all({ vectors: true }))
    for (const chunk of page) all.set(chunk.source, [...(all.get(chunk.source) ?? []), chunk]);
  return all;
}

/** Makes a collection of some chunks of another. */
async function cutOut(
  chunks: readonly StoredChunk[],
  name: string,
  { of, store }: { of: Collection; store: VectorStore },
): Promise<Collection> {
  const known = await store.open(name);
  if (known) return known;
  const collection = await store.create({ ...of.info, name });
  await collection.upsert(chunks);
  await collection.optimize();
  return collection;
}

/** The handbooks and the example manuals: collections of a few pages, with their own questions and those on other subjects. */
async function* booksOf({ into }: Places, store: VectorStore): AsyncGenerator<Case> {
  for (const set of ['allotment', 'helpdesk', ...HELD_BOOKS]) {
    const folder = join(here, 'handbooks', set);
    const collection = await collectionOfFiles(join(folder, 'docs'), set, { into, store });
    const part = partOf(HELD_BOOKS.includes(set));
    for (const question of jsonLines<GoldenQuestion>(join(folder, 'questions.jsonl')))
      yield { set: 'handbooks', part, kind: question.answerable === false ? 'close' : 'answerable', question, collection };
    for (const question of elsewhere()) yield { set: 'handbooks', part, kind: 'elsewhere', question, collection };
  }
  const examples = resolve(here, '..', 'examples');
  const collection = await collectionOfFiles(join(examples, 'manuals'), 'manuals', { into, store });
  for (const question of jsonLines<GoldenQuestion>(join(examples, 'questions.jsonl')).filter(({ turns }) => !turns))
    yield { set: 'manuals', part: 'held', kind: question.answerable === false ? 'close' : 'answerable', question, collection };
  for (const question of elsewhere()) yield { set: 'manuals', part: 'held', kind: 'elsewhere', question, collection };
}

/** The manuals of other projects, with their own questions. */
async function* manualsOf({ manuals, into }: Places, store: VectorStore): AsyncGenerator<Case> {
  for (const file of readdirSync(join(here, 'manuals')).filter((name) => name.endsWith('.jsonl'))) {
    const name = basename(file, '.jsonl');
    const collection = await collectionOfFiles(join(manuals!, name), name, { into, store });
    const part = partOf(HELD_MANUALS.has(name));
    for (const question of jsonLines<GoldenQuestion>(join(here, 'manuals', file)))
      yield { set: `manual ${name}`, part, kind: question.answerable === false ? 'close' : 'answerable', question, collection };
  }
}

/** The top folder below a root: what a file is about. */
const subjectOf = (source: string, root: string): string => {
  const folders = (source.startsWith(root) ? source.slice(root.length + 1) : source).split('/').slice(0, -1);
  return folders.join('/') || source;
};

/** Questions about real documentation: put to all of it, and each to three to ten files with the right one among them. */
async function* documentsOf({ documents, into }: Places, store: VectorStore): AsyncGenerator<Case> {
  const root = join(documents!, 'docs');
  const whole = await collectionOfFiles(root, 'documents', { into, store });
  const chunks = await chunksBySource(whole);
  const sources = [...chunks.keys()].toSorted();
  const questions = jsonLines<GoldenQuestion>(join(documents!, 'questions.jsonl')).filter(({ turns }) => !turns);
  const fileOf = (question: GoldenQuestion) =>
    sources.filter((source) => question.gold?.some(({ file }) => source.endsWith(`/${file}`) || source === file));
  const far = elsewhere();
  for (const [i, question] of questions.entries()) {
    const part = partOf(question.split !== 'dev');
    const isAnswered = question.answerable !== false;
    yield { set: 'documents', part, kind: isAnswered ? 'answerable' : 'close', question, collection: whole };
    const [gold] = fileOf(question);
    if (!isAnswered || !gold) continue;
    const near = sources.filter((source) => source !== gold && subjectOf(source, root) === subjectOf(gold, root));
    const most = 2 + (i % 8);
    const beside = sample(near, { every: Math.max(1, Math.floor(near.length / most)), from: i, most: Math.ceil(most / 2) });
    const others = sample(
      sources.filter((source) => source !== gold && !near.includes(source)),
      { every: 31, from: i, most: most - beside.length },
    );
    const files = [gold, ...beside, ...others];
    const collection = await cutOut(
      files.flatMap((file) => chunks.get(file)!),
      `documents-${i}`,
      { of: whole, store },
    );
    const subjects = new Set(files.map((file) => subjectOf(file, root)));
    const close = [37, 11, 53]
      .map((step) => questions[(i + step) % questions.length]!)
      .find((other) => fileOf(other).every((file) => !subjects.has(subjectOf(file, root))));
    yield { set: 'documents, few files', part, kind: 'answerable', question, collection };
    if (close) yield { set: 'documents, few files', part, kind: 'close', question: asked(close.question!), collection };
    for (const other of sample(far, { every: 20, from: i }))
      yield { set: 'documents, few files', part, kind: 'elsewhere', question: other, collection };
  }
}

/** Paragraphs of an encyclopaedia: all of them, and those of one article at a time. */
async function* passagesOf(
  { passages, others }: Places,
  { store, embedder }: { store: VectorStore; embedder: Embedder },
): AsyncGenerator<Case> {
  const set = readSet(passages!);
  const whole = await collectionOf(set, store, embedder);
  const chunks = await chunksBySource(whole);
  const titles = new Map(set.corpus.map(({ _id, title = '' }) => [_id, title]));
  type Query = BenchQuery & { metadata: { answers?: string[]; paragraph?: string } };
  const answers = new Map(jsonLines<Query>(join(passages!, 'queries.jsonl')).map((query) => [query._id, query]));
  const answered = set.queries.map(({ _id }, i) => {
    const [gold = ''] = [...set.relevant.get(_id)!.keys()];
    const { text, metadata } = answers.get(_id)!;
    return { i, title: titles.get(gold)!, question: { question: text, gold: [{ source: gold }], must: [metadata.answers!] } };
  });
  const unanswered = jsonLines<Query>(join(passages!, 'queries_unanswerable.jsonl')).map(({ text, metadata }, i) => ({
    i,
    title: titles.get(metadata.paragraph!)!,
    question: asked(text),
  }));
  const far = others
    .flatMap((other) => jsonLines<BenchQuery>(join(other, 'queries.jsonl')))
    .map(({ text }, i) => ({ i, question: asked(text) }));
  const odd = ({ i }: { i: number }) => partOf(i % 2 === 1);
  for (const one of sample(answered, { every: 3 }))
    yield { set: 'passages', part: odd(one), kind: 'answerable', question: one.question, collection: whole };
  for (const one of sample(unanswered, { every: 5 }))
    yield { set: 'passages', part: odd(one), kind: 'close', question: one.question, collection: whole };
  for (const one of far) yield { set: 'passages', part: odd(one), kind: 'elsewhere', question: one.question, collection: whole };
  for (const [at, title] of [...new Set(titles.values())].entries()) {
    const own = [...titles].filter(([, other]) => other === title).flatMap(([id]) => chunks.get(id) ?? []);
    const collection = await cutOut(own, `article-${at}`, { of: whole, store });
    const article = { set: 'passages, one article', collection };
    for (const one of sample(
      answered.filter((other) => other.title === title),
      { every: 3, most: 12 },
    ))
      yield { ...article, part: odd(one), kind: 'answerable', question: one.question };
    for (const one of sample(
      unanswered.filter((other) => other.title === title),
      { every: 5, most: 8 },
    ))
      yield { ...article, part: odd(one), kind: 'close', question: one.question };
    for (const one of sample(far, { every: 61, from: at })) yield { ...article, part: odd(one), kind: 'elsewhere', question: one.question };
  }
}

/** The questions of all sets that are given. */
export async function* cases(places: Places, parts: { store: VectorStore; embedder: Embedder }): AsyncGenerator<Case> {
  yield* booksOf(places, parts.store);
  if (places.manuals) yield* manualsOf(places, parts.store);
  if (places.documents) yield* documentsOf(places, parts.store);
  if (places.passages) yield* passagesOf(places, parts);
}
