import type { Quotation } from './choose.ts';
import type { Passage } from './passages.ts';

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

/** One run as Markdown: sentences read on, items and rows after a lead-in stand as a list. */
function rendered(run: readonly Passage[]): string {
  const listed = run.filter(({ kind }) => kind === 'item' || kind === 'row').length;
  let text = '';
  let before: Passage['kind'] | undefined;
  for (const { kind, text: quoted } of run) {
    const own =
      kind === 'sentence'
        ? before === 'item' || before === 'row'
          ? `\n\n${quoted}`
          : quoted
        : kind === 'code'
          ? `\n${quoted}\n`
          : listed > 1 || run.length > listed
            ? `\n- ${quoted}`
            : quoted;
    text += text === '' ? own.trimStart() : own.startsWith('\n') || text.endsWith('\n') ? own : ` ${own}`;
    before = kind;
  }
  return text;
}

/** The quotation with its number behind each run. */
export function compose({ passages }: Quotation, citation: number): string {
  return runs(passages)
    .map((run) => {
      const text = rendered(run);
      return `${text}${text.endsWith('\n') ? '' : ' '}[${citation}]`;
    })
    .join(passages.some(({ kind }) => kind !== 'sentence') ? '\n\n' : ' ');
}
