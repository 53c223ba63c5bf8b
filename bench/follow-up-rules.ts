// What each rule that rewrites a follow-up is worth: the figures of follow-ups.ts with the rule left out:
//   node bench/follow-up-rules.ts [FILE] [--home FOLDER] [--mode hybrid]
// FILE and FOLDER as follow-ups.ts takes them.
// A rule is left out of a copy of the sources, which is measured in the place of the program.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { markdownTable } from './beir.ts';
import { copyWith, type Change } from './changed-copy.ts';

const DIALOGUE = 'src/stages/chat/dialogue/';
const off = (file: string, written: string, instead: string): Change => [`${DIALOGUE}${file}.ts`, written, instead];

const RULES: readonly (readonly [rule: string, ...changes: Change[]])[] = [
  ['nothing'],
  ['a number in the place of another', off('resolve-follow-up', 'onlyNumbers ? replaceNumber(before, words)', 'onlyNumbers ? undefined')],
  ['a name in the place of another', off('resolve-follow-up', ' ?? replaceName(before, name, language)', '')],
  ['what was named since', off('resolve-follow-up', 'rest.reduce(applyFollowUp, {', 'rest.slice(0, 0).reduce(applyFollowUp, {')],
  ['questions that point back', off('resolve-follow-up', '  POINTING_BACK.test(question) ||\n', '')],
  ['questions that go on', off('resolve-follow-up', '  GOING_ON.test(question) ||\n', '')],
  ['questions of fewer than two words of their own', off('resolve-follow-up', '  ownTerms(question).length < MIN_TERMS ||\n', '')],
  ['questions that only ask', off('resolve-follow-up', '  onlyAsks(question) ||\n', '')],
  ['words that name nothing', off('resolve-follow-up', '.filter((term) => !VAGUE.has(term))', '')],
  ['questions that may stand alone', off('resolve-follow-up', 'return VERB.test(rest) &&', 'return question === "" && VERB.test(rest) &&')],
];

type Outcome = Record<string, boolean>;

const into = mkdtempSync(join(tmpdir(), 'kb-bench-'));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { home: { type: 'string' }, mode: { type: 'string', default: 'hybrid' } },
});
const file = resolve(positionals[0] ?? join(import.meta.dirname, '..', 'examples', 'follow-ups.jsonl'));
const home = resolve(options.home ?? dirname(file));
const conversations = readFileSync(file, 'utf8').trim().split('\n');

/** Runs follow-ups.ts of these sources over these conversations. */
function run(copy: string, lines: readonly string[], ...words: string[]): unknown {
  const part = join(into, 'conversations.jsonl');
  writeFileSync(part, lines.join('\n'));
  const given = [join(copy, 'bench', 'follow-ups.ts'), part, '--home', home, '--into', into, '--mode', options.mode, ...words];
  return JSON.parse(execaSync(process.execPath, given, { cwd: copy, stderr: 'inherit' }).stdout);
}

/** What was found of each conversation. Only those are asked again that another rule searches for otherwise than `before`. */
function measure(changes: readonly Change[], before?: { searches: unknown[]; outcomes: Outcome[] }) {
  const copy = copyWith(changes);
  try {
    const searches = run(copy, conversations, '--only-searches') as unknown[];
    const changed = [...searches.keys()].filter((i) => !before || !isDeepStrictEqual(searches[i], before.searches[i]));
    const asked = changed.map((i) => conversations[i]!);
    const found = asked.length > 0 ? (run(copy, asked, '--json') as Outcome[]) : [];
    const outcomes = searches.map((_, i) => found[changed.indexOf(i)] ?? before!.outcomes[i]!);
    return { searches, outcomes, changed: changed.length };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

try {
  const before = measure([]);
  const rows = RULES.map(([rule, ...changes]) => {
    const { outcomes, changed } = changes.length > 0 ? measure(changes, before) : { ...before, changed: 0 };
    const hits = Object.keys(outcomes[0]!).map((mode) => [mode, outcomes.filter((outcome) => outcome[mode]).length]);
    const row = { 'left out': rule, 'searched otherwise': changed, ...Object.fromEntries(hits) } as Record<string, string | number>;
    process.stderr.write(`${JSON.stringify(row)}\n`);
    return row;
  });
  console.log(markdownTable(rows));
} finally {
  rmSync(into, { recursive: true, force: true });
}
