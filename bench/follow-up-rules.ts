// What each rule that rewrites a follow-up is worth: the figures of follow-ups.ts with the rule left out:
//   node bench/follow-up-rules.ts
// A rule is left out of a copy of the sources, which is measured in the place of the program.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { markdownTable } from './beir.ts';
import { copyWith, type Change } from './changed-copy.ts';

const DIALOGUE = 'src/stages/chat/dialogue/';
const off = (file: string, written: string, instead: string): Change => [`${DIALOGUE}${file}.ts`, written, instead];

const RULES: readonly (readonly [rule: string, ...changes: Change[]])[] = [
  ['nothing'],
  ['what a pronoun stands for', off('resolve-follow-up', 'resolvePronoun(query, state.stem) ?? ', '')],
  [
    '«do that» as what is done',
    off('resolve-follow-up', 'if (DOES_SO.test(question)) return', 'if (DOES_SO.test(question) && question === "") return'),
  ],
  ['pronouns that are objects', off('resolve-follow-up', "before !== '' && !BEFORE", "before === ' ' && !BEFORE")],
  [
    'a number in the place of another',
    off('resolve-follow-up', 'kindOf(word) !== undefined);\n  let words', 'kindOf(word) !== undefined && word === "");\n  let words'),
  ],
  ['labels of numbers', off('resolve-follow-up', "if (kindOf(asked[0][asked[1]]!) !== 'number') return true;", 'return true;')],
  ['the same noun', off('resolve-follow-up', 'replaceNoun(before, words, isSmall) ?? ', '')],
  ['a name in the place of another', off('resolve-follow-up', ' ?? replaceName(before, words, language)', '')],
  ['what was named since', off('resolve-follow-up', 'rest.reduce(applyFollowUp, {', 'rest.slice(0, 0).reduce(applyFollowUp, {')],
  ['questions that point back', off('resolve-follow-up', '|| pointsBack(question) ||', '||')],
  ['questions that go on', off('resolve-follow-up', '  GOING_ON.test(question) || pointsBack', '  pointsBack')],
  ['questions of fewer than two words of their own', off('resolve-follow-up', ' || ownTerms(question).length < FEWEST_TERMS', '')],
  ['questions that only ask', off('resolve-follow-up', 'FEWEST_TERMS || onlyAsks(question)', 'FEWEST_TERMS')],
  ['«use one»', off('resolve-follow-up', ' || POINTING_ONE.test(question)', '')],
  ['questions that may stand alone', off('resolve-follow-up', 'return VERB.test(rest) &&', 'return question === "" && VERB.test(rest) &&')],
  ['words that name nothing', off('resolve-follow-up', '.filter((term) => !NAMES_NOTHING.has(term))', '')],
];

interface Hits {
  mode: string;
  query: string;
  hits: string;
}

/** The rows of a Markdown table: its mode, kind of query and hits. */
const rowsOf = (table: string): Hits[] =>
  table
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [, mode, query, , hits] = line.split('|').map((cell) => cell.trim());
      return mode && query && hits ? [{ mode, query, hits }] : [];
    });

const rows: Record<string, string>[] = [];
for (const [rule, ...changes] of RULES) {
  const copy = copyWith(changes);
  try {
    const { stdout } = execaSync(process.execPath, [join(copy, 'bench', 'follow-ups.ts'), ...process.argv.slice(2)], { cwd: copy });
    const hits = rowsOf(stdout).filter(({ query }) => query === 'rewritten');
    rows.push({ 'left out': rule, ...Object.fromEntries(hits.map((row) => [row.mode, row.hits])) });
    process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
console.log(markdownTable(rows));
