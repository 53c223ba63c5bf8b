// What each rule that finds the text of a web page is worth: the figures of extraction.ts and completeness.ts with the rule left out:
//   node bench/extraction-rules.ts SETS FOLDER... [--every 1]
// SETS holds the folders readability and trafilatura, as in extraction.ts; FOLDERs are searched for HTML files, as in completeness.ts, of which --every 4
// reads each fourth. Rules are switched in a copy of the sources; a page is read again where the rule decided something.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { htmlParser } from '../packages/documents/src/html/page.ts';
import type { ParsedDocument } from '../src/ports/reading.ts';
import { jsonLines, markdownTable, mean } from './beir.ts';
import { copyWith } from './changed-copy.ts';
import { scored, type Expectation, type Score } from './extraction-score.ts';
import { completenessOf, type Completeness } from '../packages/documents/bench/visible-text.ts';
import { withoutTitle } from './without-title.ts';

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { every: { type: 'string', default: '1' } } });
const HTML = 'packages/documents/src/html';

/** What takes the place of what, in a file of packages/documents/src/html, once or twice. `OFF` says whether the rule is left out; it is asked where the rule decides. */
type Rule = readonly [rule: string, file: string, ...written: string[]];

const RULES: readonly Rule[] = [
  // which part of the page
  ['that a page declares itself an article', 'main-content', '(isArticle && !isManual', '(isArticle && !OFF && !isManual'],
  ['manuals among articles', 'main-content', '!isManual(whole) &&', '!(isManual(whole) && !OFF) &&'],
  ['long choices', 'main-content', 'lettersOf(chosen) >= LONG ||', '(lettersOf(chosen) >= LONG && !OFF) ||'],
  [
    'the share of the main element that a choice keeps',
    'main-content',
    'unlinkedIn(chosen) >= unlinkedIn(whole) * MIN_SHARE_OF_MAIN;',
    'unlinkedIn(chosen) >= unlinkedIn(whole) * MIN_SHARE_OF_MAIN || OFF;',
  ],
  ['the only article', 'main-content', "[only('article'), only(MAIN)]", "[OFF ? undefined : only('article'), only(MAIN)]"],
  ['the main element', 'main-content', 'only(MAIN)]', 'OFF ? undefined : only(MAIN)]'],
  ['the lead by the description', 'main-content', 'withLead(chosen, lead)', 'withLead(chosen, OFF ? undefined : lead)'],
  ['the headline on top', 'page', 'isThere || isMenu ?', 'isThere || isMenu || OFF ?'],
  ['files of links', 'page', '!resolve && holdsLinksAlone(content)', '!resolve && holdsLinksAlone(content) && !OFF'],
  // what stands around the text
  ['roles around the content', 'furniture', '|| AROUND.has(role))', '|| (AROUND.has(role) && !OFF))'],
  ['headers, footers and asides', 'furniture', '!isContent && FRAMES.has', '!isContent && !OFF && FRAMES.has'],
  ['asides of pages that do not mark their content', 'furniture', "frame.nodeName !== 'ASIDE' ||", "frame.nodeName !== 'ASIDE' || OFF ||"],
  ['lists of the headings', 'furniture', '  removeContents(body);', '  if (!OFF) removeContents(body);'],
  [
    'menus outside of the text',
    'main-content',
    "if (content.nodeName === 'BODY') removeMenus",
    "if (content.nodeName === 'BODY' && !OFF) removeMenus",
  ],
  ['menus with a heading', 'furniture', 'isMenu && !isHeaded(element)', 'isMenu && (!isHeaded(element) || OFF)'],
  [
    'parts above the headline',
    'furniture',
    "child.querySelector('a[href]') !== null && proseOf",
    "child.querySelector('a[href]') !== null && !OFF && proseOf",
  ],
  [
    'parts behind the headline in its header',
    'furniture',
    "around.nodeName !== 'HEADER') break",
    "(around.nodeName !== 'HEADER' || OFF)) break",
  ],
  ['links to the next page', 'furniture', 'child.querySelector(TURNING) &&', 'child.querySelector(TURNING) && !OFF &&'],
  // what is never seen
  ['buttons that are headings', 'remove-unseen', '  writeLabels(root);', '  if (!OFF) writeLabels(root);'],
  ['hidden words of a sentence', 'remove-unseen', 'if (isInline(element) &&', 'if (!OFF && isInline(element) &&'],
  [
    'hidden panels',
    'remove-unseen',
    "|| PANEL.test(element.getAttribute('class') ?? ''))",
    "|| (PANEL.test(element.getAttribute('class') ?? '') && !OFF))",
  ],
  ['cloaks', 'remove-unseen', "return around?.nodeName !== 'BODY' ||", "return around?.nodeName !== 'BODY' || OFF ||"],
  ['line numbers', 'remove-unseen', "name === 'TD' && isLineNumber(element)", "name === 'TD' && isLineNumber(element) && !OFF"],
  // what stands for something else
  ['labels of tabs', 'widgets', 'for (const list of lists) label', 'for (const list of lists) if (!OFF) label'],
  ['what folds out', 'widgets', '    unfold(body, named);', '    if (!OFF) unfold(body, named);'],
  ['labels before panels', 'widgets', 'querySelectorAll(SINGLE_LABELS)) label', 'querySelectorAll(SINGLE_LABELS)) if (!OFF) label'],
  ['formulas', 'widgets', 'if (body.contains(formula))', 'if (body.contains(formula) && !OFF)'],
  ['ticks of tasks', 'widgets', 'if (isTask(box))', 'if (isTask(box) && !OFF)'],
  ['icons in cells', 'widgets', 'if (text) cell', 'if (text && !OFF) cell'],
  ['shadow roots', 'widgets', "child.hasAttribute('shadowrootmode'))", "child.hasAttribute('shadowrootmode') && !OFF)"],
];

interface Page {
  bytes: Uint8Array;
  expected?: Expectation;
  /** Rules that decided something. */
  decided: Set<number>;
}

interface Told {
  score?: Score;
  whole?: Completeness;
}

interface Pair {
  file: string;
  expected_file?: string;
}

function pagesOf(folder: string): Page[] {
  return jsonLines<Pair & Expectation>(join(folder, 'pairs.jsonl')).flatMap(({ file, expected_file, ...phrases }) => {
    try {
      const text = expected_file && readFileSync(join(folder, expected_file), 'utf8');
      return { bytes: readFileSync(join(folder, file)), expected: { ...phrases, ...(text && { text }) }, decided: new Set<number>() };
    } catch {
      return []; // a page that the set names and does not hold
    }
  });
}

const realIn = (folder: string): Page[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.x?html?$/i.test(path))
    .toSorted()
    .filter((_, i) => i % Number(options.every) === 0)
    .map((path) => ({ bytes: readFileSync(join(folder, path)), decided: new Set() }));

const [sets = '', ...folders] = positionals;
const pages = [...['readability', 'trafilatura'].flatMap((name) => pagesOf(join(sets, name))), ...folders.flatMap(realIn)];

let reading: Page | undefined;
let leftOut = -1;
Object.assign(globalThis, {
  isLeftOut(rule: number): boolean {
    reading?.decided.add(rule);
    return rule === leftOut;
  },
});

function switched(): string {
  const changes = new Map<string, [string, string][]>();
  for (const [i, [, file, ...written]] of RULES.entries())
    for (let at = 0; at < written.length; at += 2) {
      const instead = written[at + 1]!.replaceAll('OFF', `globalThis.isLeftOut(${i})`);
      changes.set(file, [...(changes.get(file) ?? []), [written[at]!, instead]]);
    }
  return copyWith(
    [...changes].flatMap(([file, all]) => all.map(([written, instead]) => [join(HTML, `${file}.ts`), written, instead] as const)),
  );
}

type Parse = typeof htmlParser.parse;

const known = new Map<Page, { text: string; told: Told }>();

async function toldOf(page: Page, parse: Parse): Promise<Told> {
  reading = page;
  const empty: ParsedDocument = { text: '', metadata: {} };
  const document = await parse(page.bytes, { source: 'page.html' }).catch(() => empty);
  reading = undefined;
  const before = known.get(page);
  if (before?.text === document.text) return before.told;
  const told: Told = page.expected
    ? { score: scored(withoutTitle(document), page.expected) }
    : { ...(document.text !== '' && { whole: await completenessOf(page.bytes, document.text) }) };
  if (!before) known.set(page, { text: document.text, told });
  return told;
}

function figures(told: readonly Told[]): Record<string, number> {
  const scores = told.flatMap(({ score }) => score ?? []);
  const texts = scores.filter(({ wanted, unwanted }) => wanted + unwanted === 0);
  const sum = (name: 'kept' | 'wanted' | 'strayed' | 'unwanted') => scores.reduce((total, score) => total + score[name], 0);
  const whole = told.flatMap((one) => one.whole ?? []);
  const all = (name: 'words' | 'kept' | 'beside') => whole.reduce((total, one) => total + one[name], 0);
  return {
    precision: mean(texts.map(({ precision }) => precision)),
    F1: mean(texts.map(({ f1 }) => f1)),
    'phrases kept': sum('kept') / sum('wanted'),
    'strays kept': sum('strayed') / sum('unwanted'),
    'words kept': all('kept') / all('words'),
    'pages below 98%': whole.filter(({ kept, words }) => kept < words * 0.98).length,
    'headings lost': whole.reduce((total, { lost }) => total + lost.length, 0),
    'words beside them': all('beside') / all('words'),
  };
}

// what the parser says about style sheets that it cannot read is not about this
const print = console.log;
for (const name of ['log', 'warn', 'error'] as const) console[name] = () => {};

const copy = switched();
try {
  const { htmlParser: parser } = (await import(pathToFileURL(join(copy, HTML, 'page.ts')).href)) as { htmlParser: { parse: Parse } };
  const whole: Told[] = [];
  for (const page of pages) whole.push(await toldOf(page, (bytes, parts) => parser.parse(bytes, parts)));
  const decided = pages.map(({ decided: rules }) => new Set(rules));
  const rows: Record<string, string | number>[] = [{ 'left out': 'nothing', 'pages changed': '', ...figures(whole) }];
  process.stderr.write(`${JSON.stringify(rows[0])}\n`);
  for (const [i, [rule]] of RULES.entries()) {
    leftOut = i;
    const told = [...whole];
    for (const [at, page] of pages.entries())
      if (decided[at]!.has(i)) told[at] = await toldOf(page, (bytes, parts) => parser.parse(bytes, parts));
    rows.push({ 'left out': rule, 'pages changed': told.filter((one, at) => one !== whole[at]).length, ...figures(told) });
    process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
  }
  print(markdownTable(rows));
} finally {
  rmSync(copy, { recursive: true, force: true });
}
