import { CITATIONS, numbersCited } from '../src/text/model-output.ts';
import type { StoredTurn } from './conversation.ts';
import { element } from './element.ts';
import { blocksIn, renderMarkdown } from './markdown.ts';
import { bareText, wordsOf } from './passage.ts';
import type { Event } from '../src/schema/results.ts';

/** Maximum characters of the statement before a citation. */
const MAX_STATEMENT_LENGTH = 600;
/** Minimum words of a sentence that is looked up by itself. */
const MIN_SENTENCE_WORDS = 4;

type OpenCitation = (citation: number, statement: string, opener: HTMLElement) => void;

/** Renders the Markdown of an answer, with citations as buttons. While it is being written, `open` is absent and citations are plain. */
export function renderAnswer(
  { answer, sources, highlight }: Pick<StoredTurn, 'answer' | 'sources' | 'highlight'>,
  open?: OpenCitation,
): HTMLElement {
  const prose = element('div', { class: 'prose' }, renderMarkdown(answer));
  const walker = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (!text.parentElement!.closest('pre, code, a')) linkCitations(text, { sources, highlight, prose }, open);
  }
  for (const paragraph of prose.querySelectorAll('p')) if (isQuotationOrigin(paragraph, sources)) paragraph.classList.add('origin');
  if (highlight) emphasize(prose, highlight);
  return prose;
}

/** Whether a paragraph of a quoted answer only names, in bold, the origin of the quotation below it. */
const isQuotationOrigin = ({ children, textContent }: HTMLElement, sources: StoredTurn['sources']): boolean =>
  children.length === 1 &&
  children[0]!.tagName === 'STRONG' &&
  children[0]!.textContent === textContent &&
  sources.some(({ title }) => textContent === title || textContent.startsWith(`${title} › `));

interface Cited extends Pick<StoredTurn, 'sources' | 'highlight'> {
  prose: HTMLElement;
}

function linkCitations(text: Text, { sources, highlight, prose }: Cited, open: OpenCitation | undefined): void {
  const pieces: (string | Node)[] = [];
  let end = 0;
  for (const match of text.data.matchAll(CITATIONS)) {
    const numbers = numbersCited(match[1]!, open ? sources.length : Infinity);
    if (!numbers) continue;
    pieces.push(text.data.slice(end, match.index).replace(/ $/, '\u00a0'));
    end = match.index + match[0].length;
    for (const number of numbers) {
      const source = sources.find(({ citation }) => citation === number);
      if (!open || !source) {
        pieces.push(element('span', { class: 'citation' }, String(number)));
        continue;
      }
      const opener: HTMLButtonElement = element(
        'button',
        {
          type: 'button',
          class: 'citation',
          'data-citation': number,
          title: source.title,
          'aria-label': `${number}: source, ${source.title}`,
          onclick: () => open(number, statementBefore(opener, { prose, highlight }), opener),
        },
        String(number),
      );
      pieces.push(opener);
    }
  }
  if (pieces.length > 0) text.replaceWith(...pieces, text.data.slice(end));
}

/**
 * Finds the statement of a citation: the best sentence of a quoted answer if it is before it, else the sentence before it, after the
 * citation of another source.
 */
function statementBefore(opener: HTMLElement, { prose, highlight }: Pick<Cited, 'prose' | 'highlight'>): string {
  const range = document.createRange();
  const others = [...prose.querySelectorAll('[data-citation]')];
  const previous = others
    .slice(0, others.indexOf(opener))
    .findLast((other) => (other as HTMLElement).dataset.citation !== opener.dataset.citation);
  if (previous) range.setStartAfter(previous);
  else range.setStart(prose, 0);
  range.setEndBefore(opener);
  const before = range.toString().trim().slice(-MAX_STATEMENT_LENGTH);
  if (highlight && bareText(before).includes(bareText(highlight))) return highlight;
  const sentences = before.split(/(?<=[.!?。！？])\s+|\n{2,}/);
  return sentences.findLast((sentence) => wordsOf(sentence).length >= MIN_SENTENCE_WORDS) ?? before;
}

/** Emphasizes the sentence, row or line of a quoted answer that answers best. */
function emphasize(prose: HTMLElement, highlight: string): void {
  const wanted = bareText(highlight);
  const block = blocksIn(prose).find(({ textContent }) => bareText(textContent).includes(wanted));
  if (!block || wanted === '') return;
  const text = [...block.childNodes].find((node): node is Text => node instanceof Text && node.data.includes(highlight));
  if (!text) return block.classList.add('best');
  const sentence = text.splitText(text.data.indexOf(highlight));
  sentence.splitText(highlight.length);
  const strong = element('strong', { class: 'best' });
  sentence.replaceWith(strong);
  strong.append(sentence);
}

/** Describes the stage before the answer begins. */
function stageText({ type, stage, data, message }: Event): string | undefined {
  if (type !== 'progress') return undefined;
  if (data.wait !== undefined) return message;
  if (stage === 'chat') return data.search_query === undefined ? 'Reading the question…' : 'Searching…';
  return stage === 'generation' ? `Reading ${Number(data.sources) === 1 ? 'one passage' : `${Number(data.sources)} passages`}…` : undefined;
}

/** Creates the frame of a turn, running or finished. */
export const turnFrame = (question: string): HTMLElement =>
  element('article', { class: 'turn' }, element('h2', { class: 'question' }, question));

/** A turn whose answer is being written. */
export class RunningTurn {
  text = '';
  readonly root: HTMLElement;
  readonly #stage = element('p', { class: 'stage', role: 'status' }, 'Reading the question…');
  #prose: HTMLElement = element('div', { class: 'prose' });
  #isDue = false;

  constructor(question: string) {
    this.root = turnFrame(question);
    this.root.setAttribute('aria-busy', 'true');
    this.root.append(this.#prose, this.#stage);
  }

  /** Shows the stage of an event. */
  showStage(event: Event): void {
    this.#stage.textContent = stageText(event) ?? this.#stage.textContent;
  }

  /** Forgets the text so far, which was not the answer. */
  reset(): void {
    this.text = '';
  }

  /** Adds a piece of the answer. Redraws at most once per frame. */
  push(piece: string): void {
    this.text += piece;
    this.#stage.textContent = 'Writing…';
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      const prose = renderAnswer({ answer: this.text, sources: [] });
      this.#prose.replaceWith(prose);
      this.#prose = prose;
    });
  }
}
