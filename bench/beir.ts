import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mean, percentile } from '../src/stages/evaluate/summarize.ts';

export { mean, percentile };

export interface BenchDocument {
  _id: string;
  title?: string;
  text: string;
}

export interface BenchQuery {
  _id: string;
  text: string;
}

/** A retrieval set in BEIR layout: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`, and `source_docs.tsv` where there are documents to leave out. */
export interface BenchSet {
  name: string;
  corpus: BenchDocument[];
  /** Those for which a document is relevant. */
  queries: BenchQuery[];
  /** Grades by query and document. */
  relevant: Map<string, Map<string, number>>;
  /** Documents that a query was made from: they are dropped from its ranking. */
  left_out: Map<string, Map<string, number>>;
}

/** Every line of a JSON Lines file. */
export const jsonLines = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => JSON.parse(line) as T);

/** Reads a set; the last of two documents of one id counts. */
export function readSet(folder: string): BenchSet {
  const corpus = new Map(jsonLines<BenchDocument>(join(folder, 'corpus.jsonl')).map((document) => [document._id, document]));
  const relevant = judgements(join(folder, 'qrels.tsv'));
  const isJudged = ({ _id }: BenchQuery) => [...(relevant.get(_id)?.values() ?? [])].some((grade) => grade > 0);
  const queries = jsonLines<BenchQuery>(join(folder, 'queries.jsonl')).filter(isJudged);
  return { name: basename(folder), corpus: [...corpus.values()], queries, relevant, left_out: judgements(join(folder, 'source_docs.tsv')) };
}

function judgements(path: string): Map<string, Map<string, number>> {
  const all = new Map<string, Map<string, number>>();
  if (!existsSync(path)) return all;
  for (const line of readFileSync(path, 'utf8').split(/\r?\n/).slice(1).filter(Boolean)) {
    const [query, document, value = '1'] = line.split('\t');
    const known = all.get(query!) ?? new Map<string, number>();
    all.set(query!, known.set(document!, Number(value)));
  }
  return all;
}

/** How good a ranking of documents is, as trec_eval counts it, with linear gain. */
export function figuresOf(ranking: readonly string[], grades: ReadonlyMap<string, number>): Record<string, number> {
  const positive = new Map([...grades].filter(([, grade]) => grade > 0));
  const gain = (values: readonly number[]) => values.slice(0, 10).reduce((sum, grade, i) => sum + grade / Math.log2(i + 2), 0);
  const ideal = gain([...positive.values()].toSorted((a, b) => b - a));
  const share = (depth: number) => ranking.slice(0, depth).filter((id) => positive.has(id)).length / positive.size;
  const first = ranking.slice(0, 10).findIndex((id) => positive.has(id));
  return {
    'nDCG@10': gain(ranking.map((id) => positive.get(id) ?? 0)) / ideal,
    'recall@10': share(10),
    'recall@100': share(100),
    'MRR@10': first < 0 ? 0 : 1 / (first + 1),
  };
}

/** A Markdown table; numbers with three digits after the point below 10, one above. */
export function markdownTable(rows: readonly Record<string, string | number>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const shown = (value: string | number | undefined) =>
    typeof value !== 'number'
      ? (value ?? '–')
      : Number.isInteger(value)
        ? value.toLocaleString('en-US')
        : value.toFixed(Math.abs(value) < 10 ? 3 : 1);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(columns.map((column) => shown(row[column]))))].join(
    '\n',
  );
}
