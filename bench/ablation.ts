// What each rule of the answerer without a model is worth: its answers about real documentation with the rule left out:
//   node bench/ablation.ts SET --into FOLDER [--manuals FOLDER] [--only WORDS]
// As in bench/quoting.ts. A rule is left out of a copy of the sources, which is measured in its place; the rest stays as it is, so that the
// estimates of confidence are not fitted to what is left.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { markdownTable } from './beir.ts';
import { copyWith, type Change } from './changed-copy.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { into: { type: 'string' }, manuals: { type: 'string' }, only: { type: 'string', default: '' } },
});

/** Each rule with what leaves it out, in files of src/stages/quote. */
const RULES: readonly (readonly [rule: string, ...changes: Change[]])[] = [
  ['the program'],
  ['one passage, also where two fit alike', ['choose-quotations.ts', 'const NEAR_TIE = 0.12;', 'const NEAR_TIE = -1;']],
  ['of two things compared, what fits best', ['choose-quotations.ts', 'findOtherSide(lastQuestion(query), ranked) ?? ', '']],
  [
    'lines of a few words quoted once, whatever their section',
    ['choose-quotations.ts', 'const MIN_REPETITION_WORDS = 8;', 'const MIN_REPETITION_WORDS = 0;'],
  ],
  ['broken off, where another would fit', ['choose-quotations.ts', 'const MAX_TRIED = 5;', 'const MAX_TRIED = 1;']],
  [
    'without a value for a default or limit',
    ['choose-quotations.ts', 'const DEFAULT = 0.45;', 'const DEFAULT = 0;'],
    ['choose-quotations.ts', 'const VALUE = 0.4;', 'const VALUE = 0;'],
  ],
  ['lists of contents as good as others', ['choose-quotations.ts', 'const LISTING = 0.4;', 'const LISTING = 0;']],
  ['introductions no better for "what is"', ['choose-quotations.ts', 'const INTRODUCTION = 0.4;', 'const INTRODUCTION = 0;']],
  ['without the score of the passage', ['choose-quotations.ts', 'const RETRIEVED = 0.5;', 'const RETRIEVED = 0;']],
  ['without shared words', ['choose-quotations.ts', 'const SHARE = 0.6;', 'const SHARE = 0;']],
  [
    'by words alone, without cosines',
    ['choose-quotations.ts', 'cosines?.[i] ?? 0', '0'],
    ['choose-quotations.ts', 'const cosine = cosines?.[i];', 'const cosine = undefined as number | undefined;'],
  ],
  [
    'without the headings above a block',
    ['choose-quotations.ts', 'return `${above}: ${columns}', 'return `${above.slice(0, 0)}${columns}'],
  ],
  [
    'without what stands beside the passage',
    ['quote-blocks.ts', '= joinNeighbours(source);', "= joinNeighbours({ ...source, before: '', after: '' });"],
  ],
  ['a block alone, not grown', ['passages.ts', 'if (gain === -Infinity) break;', 'if (gain < 9) break;']],
  [
    'grown downwards, not to the better side',
    ['passages.ts', 'gains[1]!.gain >= gains[0]!.gain ? gains[1]! : gains[0]!', 'gains[1]!.gain > -Infinity ? gains[1]! : gains[0]!'],
  ],
  [
    'without what introduces a block',
    ['passages.ts', '/:\\**\\s*$/.test(block.text)', 'false'],
    ['passages.ts', "block.kind === 'term' || ", ''],
  ],
  [
    'nothing declined',
    ['evidence.ts', 'const MIN_PROBABILITY = {', 'const MIN_PROBABILITY = { about: 0, right: 0, words: 0 };\nexport const UNUSED = {'],
  ],
];

type Figures = Record<'answerable' | 'right' | 'partly' | 'wrong' | 'declined' | 'words' | 'answered', number>;
type Measured = Record<string, Record<string, Figures>>;

/** The sources with these changes, measured. */
function measured(changes: readonly Change[]): Measured {
  const copy = copyWith(changes.map(([file, written, instead]) => [join('src', 'stages', 'quote', file), written, instead] as const));
  try {
    const manuals = values.manuals ? ['--manuals', resolve(values.manuals)] : [];
    const words = [join(copy, 'bench', 'quoting.ts'), resolve(positionals[0]!), '--into', resolve(values.into!), ...manuals];
    return JSON.parse(execaSync(process.execPath, words, { cwd: copy, stdio: ['ignore', 'pipe', 'inherit'] }).stdout) as Measured;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function row(name: string, { dev, test, manuals }: Record<string, Figures>): Record<string, string | number> {
  const [a, b] = [dev!, test!];
  const percent = (part: number) => `${((100 * part) / (a.answerable + b.answerable)).toFixed(0)}%`;
  return {
    'what is answered': name,
    'right, dev': a.right,
    'right, test': b.right,
    'right, of all': percent(a.right + b.right),
    'wrong, of all': percent(a.wrong + b.wrong),
    ...(manuals ? { 'right, manuals': manuals.right, 'wrong, manuals': manuals.wrong + manuals.partly } : {}),
    words: Math.round((a.words * a.answerable + b.words * b.answerable) / (a.answerable + b.answerable)),
  };
}

const rows = [];
for (const [name, ...changes] of RULES.filter(([rule]) => rule.includes(values.only))) {
  const { quoted, ...whole } = measured(changes);
  if (changes.length === 0) rows.push(...Object.entries(whole).map(([kind, figures]) => row(kind, figures)));
  rows.push(row(name, quoted!));
  process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
}
console.log(markdownTable(rows));
