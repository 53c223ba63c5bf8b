import { UNSPACED } from '../../../base/analyse.ts';
import { lastAsked } from '../../../base/asked.ts';
import type { Quotation } from './choose.ts';
import { asksForDenied, isDenying, leavesOut } from './contradiction.ts';
import type { Passage } from './passages.ts';
import { plainText } from './plain-text.ts';

/** Whether two passages read on: what lies between them is nothing. */
const readsOn = (before: Passage, after: Passage): boolean => after.at === before.at + 1;

/** Neighbours together, apart from what stands elsewhere in the source. */
function runs(passages: readonly Passage[]): Passage[][] {
  const found: Passage[][] = [];
  for (const passage of passages) {
    const run = found.at(-1);
    const last = run?.at(-1);
    if (run && last && (readsOn(last, passage) || passage.lead === last.at || (passage.lead !== undefined && passage.lead === last.lead)))
      run.push(passage);
    else found.push([passage]);
  }
  return found;
}

/** Whether a text ends as sentences do that are written without a space behind them. */
const isUnspaced = (text: string): boolean => /[。！？…」』”）]$/u.test(text) && text.search(UNSPACED) >= 0;

/** One run as Markdown: sentences read on, items and rows after a lead-in stand as a list, with their numbers where they have them. */
function rendered(run: readonly Passage[]): string {
  const listed = run.filter(({ kind }) => kind === 'item' || kind === 'row').length;
  let text = '';
  let before: Passage['kind'] | undefined;
  for (const { kind, text: quoted, step = '-' } of run) {
    const own =
      kind === 'sentence'
        ? before === 'item' || before === 'row'
          ? `\n\n${quoted}`
          : quoted
        : kind === 'code'
          ? `\n${quoted}\n`
          : listed > 1 || run.length > listed
            ? `\n${step} ${quoted}`
            : quoted;
    text += text === '' ? own.trimStart() : own.startsWith('\n') || text.endsWith('\n') || isUnspaced(text) ? own : ` ${own}`;
    before = kind;
  }
  return text;
}

/** The heading that denies what a run says, where nothing in the run does, nor the question: without it `Damage by limescale` reads as what is covered. */
function denialOf(run: readonly Passage[], question: string): string {
  const heading = plainText(run[0]!.heading);
  if (!isDenying(heading) || asksForDenied(lastAsked(question)) || run.some(({ text }) => leavesOut(text))) return '';
  return /[\p{L}\p{N}]$/u.test(heading) ? `${heading}:` : heading;
}

/** The quotation with its number behind each run. */
export function compose({ passages }: Quotation, citation: number, question: string): string {
  return runs(passages)
    .map((run) => {
      const denial = denialOf(run, question);
      const isList = run[0]!.kind === 'item' || run[0]!.kind === 'row';
      const own = rendered(run);
      const text = denial === '' ? own : `${denial}\n${isList && !own.startsWith('- ') ? `- ${own}` : own}`;
      return `${text}${text.endsWith('\n') ? '' : ' '}[${citation}]`;
    })
    .join(passages.some(({ kind }) => kind !== 'sentence') ? '\n\n' : ' ');
}
