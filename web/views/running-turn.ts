import type { Event } from '../../src/schema/results.ts';
import { renderAnswer } from '../answer.ts';
import { element } from '../element.ts';

/** Says what is being done before the answer begins. */
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

  /** Tells what is being done. */
  say(event: Event): void {
    this.#stage.textContent = stageText(event) ?? this.#stage.textContent;
  }

  /** Draws once a frame, however many pieces come in it. */
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
