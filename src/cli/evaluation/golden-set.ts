import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import { parsePart } from '../../core/parse-request.ts';
import { GoldenQuestion } from '../../schema/evaluation.ts';

/** A row of a golden set, and where it stands, for errors. */
interface Row {
  place: string;
  value: unknown;
}

const COLUMNS = ['id', 'question', 'source', 'heading', 'needle', 'answerable', 'type'];

/**
 * Reads a golden set: YAML (a list), JSON (likewise), JSON Lines, or CSV with the columns `question`, `source`, `heading`, `needle`, `answerable`,
 * `type`, `id`. Throws a KbError (`usage`) that names the file, the row and what is wrong with it.
 */
export async function readGoldenSet(path: string): Promise<GoldenQuestion[]> {
  const rows = await rowsOf(path, readText(path));
  if (rows.length === 0) throw new KbError('usage', `${path} holds no question.`);
  return rows.map(({ place, value }) => parsePart(GoldenQuestion, value, { where: `${path}, ${place}`, whole: 'the row' }));
}

function readText(path: string): string {
  try {
    return readFileSync(resolve(path), 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new KbError('usage', `The golden set ${path} cannot be read: ${describeFileError(cause, 'read')}.`, { cause });
  }
}

async function rowsOf(path: string, text: string): Promise<Row[]> {
  const kind = extname(path).toLowerCase();
  if (kind === '.csv') return await csvRows(path, text);
  if (kind === '.jsonl' || kind === '.ndjson') return jsonRows(path, text);
  const { parseYaml } = await import('../../core/yaml.ts');
  const list = parseYaml(text, { where: path, hint: 'Fix the line; JSON is YAML, too.' });
  if (Array.isArray(list)) return list.map((value: unknown, i) => ({ place: `question ${i + 1}`, value }));
  throw new KbError('usage', `${path}: a list of questions is expected.`, {
    hint: 'Each with question, and gold: a list of {source, needle}.',
  });
}

function jsonRows(path: string, text: string): Row[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const place = `line ${i + 1}`;
    try {
      return { place, value: JSON.parse(line) as unknown };
    } catch (cause) {
      throw new KbError('usage', `${path}, ${place} is not JSON: ${(cause as Error).message}`, { cause });
    }
  });
}

async function csvRows(path: string, text: string): Promise<Row[]> {
  const { default: Papa } = await import('papaparse');
  const [head = [], ...rows] = Papa.parse(text, { skipEmptyLines: 'greedy' }).data.map((cells) => cells.map((cell) => cell.trim()));
  const unknown = head.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined)
    throw new KbError('usage', `${path}: there is no column «${unknown}».`, { hint: `The columns are ${COLUMNS.join(', ')}.` });
  return rows.map((cells, i) => ({ place: `row ${i + 2}`, value: questionOfCells(head, cells) }));
}

const WORDS: Record<string, boolean> = { true: true, yes: true, '1': true, false: false, no: false, '0': false };

function questionOfCells(head: readonly string[], cells: readonly string[]): unknown {
  const { source, heading, needle, answerable, ...row } = Object.fromEntries(
    head.flatMap((name, at) => (cells[at] ? [[name, cells[at]]] : [])),
  ) as Record<string, string>;
  const gold = { source, heading, needle };
  return {
    ...row,
    ...(answerable === undefined ? {} : { answerable: WORDS[answerable.toLowerCase()] ?? answerable }),
    ...(Object.values(gold).some(Boolean) ? { gold: [gold] } : {}),
  };
}
