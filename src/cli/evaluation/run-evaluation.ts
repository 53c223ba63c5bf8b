import { explainJsonError } from '../../core/json.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { count } from '../../text/count.ts';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import { type EvaluationResult, GoldenQuestion } from '../../schema/evaluation.ts';
import { compareResults } from '../../stages/evaluate/summarize.ts';
import type { CommandContext } from '../command-context.ts';
import { comparisonReport, evaluationReport, missedGates, readGates } from './evaluation-report.ts';
import { EXIT } from '../failure.ts';
import { readSettingFlags } from '../flags.ts';
import { showProgress } from '../progress.ts';
import { makePrintable, type Screen } from '../screen.ts';
import { markdownPrinter } from '../printers/show-answer.ts';
import { formatFailure } from '../printers/show-ingest.ts';
import { parsePart } from '../../core/parse-request.ts';

/** Maximum failures that are printed; the rest is counted. */
const MAX_PRINTED_FAILURES = 5;

/** Runs `kb eval`: measures, compares, or proposes questions, depending on its flags. */
export async function runEvaluation(context: CommandContext, file: string | undefined): Promise<void> {
  const { generate, compare } = context.flags as { generate?: number; compare?: string[] };
  if (generate !== undefined) return await proposeGoldenSet(context, generate);
  if (file === undefined)
    throw new KbError('usage', 'kb eval needs a golden set.', {
      hint: 'For example kb eval questions.yaml; kb eval --generate 20 proposes one.',
    });
  return compare ? await compareConfigurations(context, { file, configs: compare }) : await evaluateGoldenSet(context, file);
}

/** Evaluates a golden set, prints and writes the report, and sets the exit code: 1 if a gate is missed or a question could not be asked. */
async function evaluateGoldenSet(context: CommandContext, file: string): Promise<void> {
  const { screen, flags } = context;
  const gates = readGates(flags);
  const questions = await readGoldenSet(file);
  const result = await showProgress(context.engine.run('evaluate', { questions }, { signal: context.signal, lists: true }), {
    screen,
    title: 'Asking',
  });
  const missed = missedGates(result, gates);
  showReport(context, { value: { ...result, missed }, report: evaluationReport(result) });
  for (const error of result.errors.slice(0, MAX_PRINTED_FAILURES)) screen.warn(`Not asked: ${formatFailure(error)}`);
  for (const gate of missed) screen.warn(`Missed: ${gate}`);
  if (missed.length > 0 || (result.failed > 0 && !flags['allow-failures'])) process.exitCode = EXIT.failed;
}

async function compareConfigurations(
  context: CommandContext,
  { file, configs }: { file: string; configs: readonly string[] },
): Promise<void> {
  if (configs.length !== 2)
    throw new KbError('usage', `--compare takes two configuration files, not ${configs.length}.`, {
      hint: 'For example kb eval questions.yaml --compare now.yaml then.yaml.',
    });
  const questions = await readGoldenSet(file);
  const sides: { config: string; result: EvaluationResult }[] = [];
  for (const config of configs) sides.push({ config, result: await evaluateWith(context, { config, questions }) });
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const judgedIds = new Set(questions.flatMap(({ id, must = [] }, i) => (must.length > 0 ? String(id ?? i + 1) : [])));
  const differences = compareResults(first.result, second.result, judgedIds);
  showReport(context, { value: { first, second, differences }, report: comparisonReport(sides, differences) });
  if (sides.some(({ result }) => result.failed > 0) && !context.flags['allow-failures']) process.exitCode = EXIT.failed;
}

async function evaluateWith(
  { screen, signal, flags }: CommandContext,
  { config, questions }: { config: string; questions: GoldenQuestion[] },
): Promise<EvaluationResult> {
  const [{ loadConfig }, { createEngine }] = await Promise.all([import('../../config/load.ts'), import('../../engine/engine.ts')]);
  const cwd = process.cwd();
  const loaded = loadConfig({ cwd, file: config, environment: process.env, flags: readSettingFlags(flags) });
  const engine = createEngine({ ...loaded, cwd });
  try {
    return await showProgress(engine.run('evaluate', { questions }, { signal, lists: true }), { screen, title: `Asking with ${config}` });
  } finally {
    await engine.close();
  }
}

/** Prints questions that the collection answers, as JSON Lines, or with `--json` as one document. */
async function proposeGoldenSet({ engine, screen, signal }: CommandContext, requested: number): Promise<void> {
  const result = await showProgress(engine.run('propose_questions', { count: requested }, { signal }), {
    screen,
    title: 'Writing questions',
  });
  if (screen.json) screen.printJson(result);
  else for (const question of result.questions) screen.printJson(question);
  if (result.questions.length < requested)
    screen.note(`The collection has passages for ${count(result.questions.length, 'question')} only.`);
}

function showReport({ screen, flags }: CommandContext, { value, report }: { value: unknown; report: string }): void {
  if (flags.report !== undefined) writeReport(String(flags.report), { value, report });
  if (screen.json) screen.printJson(value);
  else drawMarkdown(screen, report);
}

function drawMarkdown(screen: Screen, text: string): void {
  const printer = markdownPrinter(screen);
  printer.push(makePrintable(text));
  printer.end();
}

function writeReport(path: string, { value, report }: { value: unknown; report: string }): void {
  const isJson = extname(path).toLowerCase() === '.json';
  try {
    writeFileSync(resolve(path), isJson ? `${JSON.stringify(value, null, 2)}\n` : report);
  } catch (cause) {
    throw new KbError('usage', `The report ${path} cannot be written: ${describeFileError(cause, 'write')}.`, { cause });
  }
}

/** A row of a golden set with its place, for errors. */
interface GoldenRow {
  place: string;
  value: unknown;
}

const COLUMNS = ['id', 'question', 'source', 'heading', 'needle', 'answerable', 'type'];

/**
 * Reads a golden set: YAML (a list), JSON (likewise), JSON Lines, or CSV with the columns `question`, `source`, `heading`, `needle`, `answerable`,
 * `type`, `id`. Throws a KbError (`usage`) that names the file, the row and what is wrong with it.
 */
export async function readGoldenSet(path: string): Promise<GoldenQuestion[]> {
  const rows = await parseRows(path, readText(path));
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

async function parseRows(path: string, text: string): Promise<GoldenRow[]> {
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

function jsonRows(path: string, text: string): GoldenRow[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const place = `line ${i + 1}`;
    try {
      return { place, value: JSON.parse(line) as unknown };
    } catch (cause) {
      throw new KbError('usage', `${path}, ${place} ${explainJsonError(line, cause)}.`, { cause });
    }
  });
}

async function csvRows(path: string, text: string): Promise<GoldenRow[]> {
  const { default: Papa } = await import('papaparse');
  const [head = [], ...rows] = Papa.parse(text, { skipEmptyLines: 'greedy' }).data.map((cells) => cells.map((cell) => cell.trim()));
  const unknown = head.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined)
    throw new KbError('usage', `${path}: there is no column "${unknown}".`, { hint: `The columns are ${COLUMNS.join(', ')}.` });
  return rows.map((cells, i) => ({ place: `row ${i + 2}`, value: toQuestion(head, cells) }));
}

const BOOLEAN_WORDS: Record<string, boolean> = { true: true, yes: true, '1': true, false: false, no: false, '0': false };

function toQuestion(head: readonly string[], cells: readonly string[]): unknown {
  const { source, heading, needle, answerable, ...row } = Object.fromEntries(
    head.flatMap((name, at) => (cells[at] ? [[name, cells[at]]] : [])),
  ) as Record<string, string>;
  const gold = { source, heading, needle };
  return {
    ...row,
    ...(answerable === undefined ? {} : { answerable: BOOLEAN_WORDS[answerable.toLowerCase()] ?? answerable }),
    ...(Object.values(gold).some(Boolean) ? { gold: [gold] } : {}),
  };
}
