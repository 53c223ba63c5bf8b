import { writeFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { count } from '../../text/count.ts';
import { KbError } from '../../core/errors.ts';
import { describeFileError } from '../../core/file-names.ts';
import type { EvaluationResult, GoldenQuestion } from '../../schema/evaluation.ts';
import { compareResults } from '../../stages/evaluate/summarize.ts';
import type { CommandContext } from '../command-context.ts';
import { comparisonReport, evaluationReport, missedGates, readGates } from './evaluation-report.ts';
import { EXIT } from '../failure.ts';
import { settingsOfFlags } from '../flags.ts';
import { readGoldenSet } from './golden-set.ts';
import { showProgress } from '../progress.ts';
import { printable, type Screen } from '../screen.ts';
import { markdownPrinter } from '../printers/show-answer.ts';
import { failureLine } from '../printers/show-ingest.ts';

/** Failures that are told; the rest is counted. */
const TOLD_FAILURES = 5;

/** What `kb eval` does: measures, compares, or proposes questions, as its flags say. */
export async function runEvaluation(desk: CommandContext, file: string | undefined): Promise<void> {
  const { generate, compare } = desk.flags as { generate?: number; compare?: string[] };
  if (generate !== undefined) return await proposeGoldenSet(desk, generate);
  if (file === undefined)
    throw new KbError('usage', 'kb eval needs a golden set.', {
      hint: 'For example kb eval questions.yaml; kb eval --generate 20 proposes one.',
    });
  return compare ? await compareConfigurations(desk, { file, configs: compare }) : await evaluateGoldenSet(desk, file);
}

/** Measures over a golden set, shows and writes the report, and sets the exit code: 1 where a gate is missed or a question could not be asked. */
async function evaluateGoldenSet(desk: CommandContext, file: string): Promise<void> {
  const { screen, flags } = desk;
  const gates = readGates(flags);
  const questions = await readGoldenSet(file);
  const result = await showProgress(desk.engine.run('evaluate', { questions }, { signal: desk.signal, lists: true }), {
    screen,
    title: 'Asking',
  });
  const missed = missedGates(result, gates);
  show(desk, { value: { ...result, missed }, report: evaluationReport(result) });
  for (const error of result.errors.slice(0, TOLD_FAILURES)) screen.warn(`Not asked: ${failureLine(error)}`);
  for (const gate of missed) screen.warn(`Missed: ${gate}`);
  if (missed.length > 0 || (result.failed > 0 && !flags['allow-failures'])) process.exitCode = EXIT.failed;
}

async function compareConfigurations(desk: CommandContext, { file, configs }: { file: string; configs: readonly string[] }): Promise<void> {
  if (configs.length !== 2)
    throw new KbError('usage', `--compare takes two configuration files, not ${configs.length}.`, {
      hint: 'For example kb eval questions.yaml --compare now.yaml then.yaml.',
    });
  const questions = await readGoldenSet(file);
  const sides: { config: string; result: EvaluationResult }[] = [];
  for (const config of configs) sides.push({ config, result: await evaluateWith(desk, { config, questions }) });
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const judged = new Set(questions.flatMap(({ id, must = [] }, i) => (must.length > 0 ? String(id ?? i + 1) : [])));
  const differences = compareResults(first.result, second.result, judged);
  show(desk, { value: { first, second, differences }, report: comparisonReport(sides, differences) });
  if (sides.some(({ result }) => result.failed > 0) && !desk.flags['allow-failures']) process.exitCode = EXIT.failed;
}

async function evaluateWith(
  { screen, signal, flags }: CommandContext,
  { config, questions }: { config: string; questions: GoldenQuestion[] },
): Promise<EvaluationResult> {
  const [{ loadConfig }, { createEngine }] = await Promise.all([import('../../config/load.ts'), import('../../engine/engine.ts')]);
  const loaded = loadConfig({ cwd: process.cwd(), file: config, environment: process.env, flags: settingsOfFlags(flags) });
  const engine = createEngine({ config: loaded.config, home: loaded.home, cwd: process.cwd() });
  try {
    return await showProgress(engine.run('evaluate', { questions }, { signal, lists: true }), { screen, title: `Asking with ${config}` });
  } finally {
    await engine.close();
  }
}

/** Prints questions that the collection answers, as JSON Lines, or with `--json` as one document. */
async function proposeGoldenSet({ engine, screen, signal }: CommandContext, wanted: number): Promise<void> {
  const result = await showProgress(engine.run('propose_questions', { count: wanted }, { signal }), { screen, title: 'Writing questions' });
  if (screen.json) screen.printJson(result);
  else for (const question of result.questions) screen.printJson(question);
  if (result.questions.length < wanted) screen.note(`The collection has passages for ${count(result.questions.length, 'question')} only.`);
}

function show({ screen, flags }: CommandContext, { value, report }: { value: unknown; report: string }): void {
  if (flags.report !== undefined) writeReport(String(flags.report), { value, report });
  if (screen.json) screen.printJson(value);
  else drawMarkdown(screen, report);
}

function drawMarkdown(screen: Screen, text: string): void {
  const printer = markdownPrinter(screen);
  printer.push(printable(text));
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
