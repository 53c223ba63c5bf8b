import type { Location } from '../../src/schema/items.ts';
import type { GetSourceResult } from '../../src/schema/stored/stored-sources.ts';
import { isOnPage } from '../../src/text/passage-location.ts';
import { mayWrite, errorText, fetchSource, removeSource } from '../api.ts';
import { currentCollection, knownCollections } from '../collections.ts';
import { button, element, keys, problem } from '../element.ts';
import { blocksIn, markBlock, renderMarkdown } from '../markdown.ts';
import { pageSketches, placeText } from '../place.ts';
import { bareText, findQuotedBlock, sectionAround } from '../passage.ts';

/** A passage of a stored document. */
export interface CitedPassage {
  /** The chunk's. */
  id: string;
  title: string;
  source: string;
  text: string;
  location: Location;
  /** Of its document. */
  file_type: unknown;
  collection: string | undefined;
  /** The statement that it supports; the block that fits best is marked. */
  statement: string;
}

/** Below this width the reader covers the page. */
const NARROW = matchMedia('(max-width: 1000px)');

/** The state of the browser's history while the reader covers the page. */
const COVERS = 'reader';

/** Parts of a document that can be shown. */
type Extent = { kind: 'section' } | { kind: 'page'; page: number } | { kind: 'document' };

interface ReaderListener {
  /** Called when it opens or closes, or begins to cover the page. */
  onToggle(): void;
  /** Called when a document was removed. */
  onRemoved(source: StoredDocument): void;
}

/** The panel beside the views in which documents are read. */
export class Reader {
  readonly root = element('aside', { class: 'reader', 'aria-label': 'Source', hidden: true });
  readonly #title = element('h2', { tabindex: '-1' });
  readonly #place = element('p', { class: 'place' });
  readonly #sketches = element('div', { class: 'sketches' });
  readonly #tools = element('div', { class: 'tools' });
  readonly #text = element('div', { class: 'reader-text', tabindex: '0', role: 'region', 'aria-label': 'Text of the source' });
  #opener: HTMLElement | undefined;
  /** Counts what was opened: an answer that comes after the next was opened is dropped. */
  #turn = 0;
  readonly #listener: ReaderListener;

  constructor(listener: ReaderListener) {
    this.#listener = listener;
    const close = element('button', { type: 'button', class: 'quiet close', onclick: () => this.close() }, 'Close ', keys('Esc'));
    this.root.append(element('header', {}, element('div', {}, this.#title, this.#place), this.#sketches, close), this.#tools, this.#text);
    NARROW.addEventListener('change', () => listener.onToggle());
    globalThis.addEventListener('popstate', () => this.isOverlay && this.#hide());
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  /** Whether it covers everything else. */
  get isOverlay(): boolean {
    return this.isOpen && NARROW.matches;
  }

  close(): void {
    if (history.state === COVERS) history.back(); // `popstate` hides it
    else this.#hide();
  }

  #hide(): void {
    this.#turn++;
    this.root.hidden = true;
    this.#listener.onToggle();
    if (this.#opener?.isConnected) this.#opener.focus();
    this.#opener = undefined;
  }

  /** Shows a passage in its section, or on its page, with the block marked that was quoted. */
  async openPassage(passage: CitedPassage, opener: HTMLElement): Promise<void> {
    const from = knownCollections().length > 1 ? passage.collection : undefined;
    const place = [from, passage.source, placeText(passage.title, passage.location, passage.file_type)].filter(Boolean).join(' · ');
    const turn = this.#open({ title: passage.title, place }, opener);
    const { page } = passage.location;
    const collection = passage.collection ?? currentCollection()?.name;
    this.#sketches.append(...pageSketches(passage.location));
    this.#showText(passage.text, passage);
    const source = { id: passage.source, source: passage.source, title: passage.title };
    try {
      if (collection !== undefined)
        await this.#show({ collection, source, passage }, page === undefined ? { kind: 'section' } : { kind: 'page', page });
    } catch (error) {
      if (turn === this.#turn) this.#remark(`This is the passage alone, as it was found. ${errorText(error)}`);
    }
  }

  /** Shows a whole document. */
  async openDocument(source: StoredDocument, opener: HTMLElement): Promise<void> {
    const collection = currentCollection()?.name;
    if (collection === undefined) return;
    const turn = this.#open({ title: source.title, place: source.source }, opener);
    this.#text.replaceChildren(element('p', { class: 'remark' }, 'Reading…'));
    await this.#show({ collection, source }, { kind: 'document' }).catch((error: unknown) => {
      if (turn === this.#turn) this.#text.replaceChildren(problem(errorText(error)));
    });
  }

  #open({ title, place }: { title: string; place: string }, opener: HTMLElement): number {
    if (NARROW.matches && !this.isOpen) history.pushState(COVERS, ''); // the back button of a phone closes it
    this.#opener = opener;
    this.#title.textContent = title;
    this.#place.textContent = place;
    this.#sketches.replaceChildren();
    this.#tools.replaceChildren();
    this.root.hidden = false;
    this.#listener.onToggle();
    this.#title.focus({ preventScroll: true });
    return ++this.#turn;
  }

  #remark(text: string): void {
    this.#tools.replaceChildren(element('p', { class: 'remark' }, text));
  }

  async #show(opened: Opened, extent: Extent): Promise<void> {
    const turn = this.#turn;
    const { collection, source, passage } = opened;
    const document = await fetchSource(collection, source.id, extent.kind === 'page' ? extent.page : undefined);
    if (turn !== this.#turn) return;
    this.#tools.replaceChildren(...this.#toolsFor(opened, { document, extent }));
    const text = extent.kind === 'section' && passage ? sectionAround(document.text, passage.text) : document.text;
    this.#showText(text, extent.kind === 'page' && !isOnPage(passage?.location ?? {}, extent.page) ? undefined : passage);
  }

  #toolsFor(opened: Opened, { document, extent }: { document: GetSourceResult; extent: Extent }): HTMLElement[] {
    const { passage, source, collection } = opened;
    const go = (to: Extent) => () =>
      void this.#show(opened, to).catch((error: unknown) => this.#text.replaceChildren(problem(errorText(error))));
    const pages = [...new Set(document.chunks.flatMap(({ location: { page, page_end } }) => [page ?? [], page_end ?? []].flat()))].toSorted(
      (one, other) => one - other,
    );
    const tools: HTMLElement[] = [];
    if (passage && pages.length === 0)
      tools.push(button('Section', go({ kind: 'section' }), { class: 'toggle', 'aria-pressed': String(extent.kind === 'section') }));
    if (pages.length > 0) tools.push(...pager(pages, extent, go));
    tools.push(button('Whole document', go({ kind: 'document' }), { class: 'toggle', 'aria-pressed': String(extent.kind === 'document') }));
    if (/^https?:\/\//.test(source.source))
      tools.push(
        element('a', { href: source.source, target: '_blank', rel: 'noopener noreferrer', class: 'outside' }, 'Open the original'),
      );
    if (!passage && mayWrite()) tools.push(this.#removal(collection, source));
    return tools;
  }

  /** Creates the button that removes a document; the second press confirms. */
  #removal(collection: string, source: StoredDocument): HTMLElement {
    const made = button(
      'Remove',
      () => {
        if (!made.classList.contains('danger')) {
          made.classList.add('danger');
          made.textContent = 'Remove for good?';
          return;
        }
        removeSource(collection, source.id).then(
          () => (this.close(), this.#listener.onRemoved(source)),
          (error: unknown) => this.#remark(errorText(error)),
        );
      },
      { class: 'quiet remove' },
    );
    made.addEventListener('blur', () => (made.classList.remove('danger'), (made.textContent = 'Remove')));
    return made;
  }

  /** Draws a text; of the passage in it the blocks are set off, and the one is marked that was quoted. */
  #showText(text: string, passage: CitedPassage | undefined): void {
    const prose = element('div', { class: 'prose' }, renderMarkdown(text));
    const marked = passage && markPassage(prose, passage);
    this.#text.replaceChildren(prose);
    const { top } = prose.getBoundingClientRect();
    const place = marked ? marked.getBoundingClientRect().top - top : 0;
    this.#text.scrollTop = place - this.#text.clientHeight / 3; // `scrollIntoView` would move the page beside it too
  }
}

/** Identity of a document. */
type StoredDocument = Pick<GetSourceResult, 'id' | 'source' | 'title'>;

interface Opened {
  collection: string;
  source: StoredDocument;
  passage?: CitedPassage;
}

/** Sets off the blocks of a passage and marks the quoted ones. Gives the first mark. */
function markPassage(prose: HTMLElement, { text, statement }: CitedPassage): HTMLElement | undefined {
  const bare = bareText(renderMarkdown(text).textContent);
  const within = blocksIn(prose).filter(({ textContent }) => {
    const own = bareText(textContent);
    return own !== '' && bare.includes(own);
  });
  for (const block of within) block.classList.add('of-passage');
  const quoted = bareText(renderMarkdown(statement).textContent);
  const bodies = within.filter(({ tagName }) => !/^H\d$/.test(tagName));
  const whole = bodies.filter(({ textContent }) => quoted.includes(bareText(textContent)) && bareText(textContent).length > 3);
  const best =
    bodies[
      findQuotedBlock(
        bodies.map(({ textContent }) => textContent),
        statement,
      )
    ] ?? bodies[0];
  const marks = (whole.length > 0 ? whole : best ? [best] : []).flatMap(markBlock);
  return marks[0];
}

/** Creates the page number with buttons for the previous and next page. */
function pager(pages: readonly number[], extent: Extent, go: (to: Extent) => () => void): HTMLElement[] {
  const shown = extent.kind === 'page' ? extent.page : undefined;
  const place = shown === undefined ? -1 : pages.indexOf(shown);
  const to = (label: string, text: string, page: number | undefined) =>
    button(text, page === undefined ? () => {} : go({ kind: 'page', page }), {
      'aria-label': label,
      class: 'toggle',
      disabled: page === undefined,
    });
  const said = shown === undefined ? `${pages.length} pages` : `Page ${shown} of ${pages.at(-1)}`;
  return [
    element(
      'span',
      { class: 'pager', role: 'group', 'aria-label': 'Pages' },
      to('Previous page', '‹', pages[place - 1]),
      element('span', { role: 'status' }, said),
      to('Next page', '›', pages[place + 1]),
    ),
  ];
}
