import type { Location } from '../../src/schema/items.ts';
import type { GetSourceResult } from '../../src/schema/stored/stored-sources.ts';
import { isOnPage } from '../../src/text/passage-location.ts';
import { mayWrite, errorText, fetchSource, removeSource } from '../api.ts';
import { currentCollection, knownCollections } from '../collections.ts';
import { button, element, keyLabels, problemBox } from '../element.ts';
import { blocksIn, markBlock, renderMarkdown } from '../markdown.ts';
import { pageSketches, placeText } from '../place.ts';
import { bareText, findQuotedBlock, sectionAround } from '../passage.ts';

/** A passage of a stored document. */
export interface CitedPassage {
  /** Id of the chunk. */
  id: string;
  title: string;
  source: string;
  text: string;
  location: Location;
  /** File type of its document. */
  file_type: unknown;
  collection: string | undefined;
  /** The statement that it supports; the best matching block is marked. */
  statement: string;
}

/** Below this width the reader covers the page. */
const NARROW_SCREEN = matchMedia('(max-width: 1000px)');

/** State of the browser history while the reader covers the page. */
const OVERLAY_STATE = 'reader';

/** Parts of a document that can be shown. */
type Extent = { kind: 'section' } | { kind: 'page'; page: number } | { kind: 'document' };

interface ReaderListener {
  /** Called when the reader opens, closes, or starts or stops covering the page. */
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
  /** Number of openings: a response is dropped if another passage or document was opened meanwhile. */
  #openings = 0;
  readonly #listener: ReaderListener;

  constructor(listener: ReaderListener) {
    this.#listener = listener;
    const close = element('button', { type: 'button', class: 'quiet close', onclick: () => this.close() }, 'Close ', keyLabels('Esc'));
    this.root.append(element('header', {}, element('div', {}, this.#title, this.#place), this.#sketches, close), this.#tools, this.#text);
    NARROW_SCREEN.addEventListener('change', () => listener.onToggle());
    globalThis.addEventListener('popstate', () => this.isOverlay && this.#hide());
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  /** Whether the reader covers the page. */
  get isOverlay(): boolean {
    return this.isOpen && NARROW_SCREEN.matches;
  }

  close(): void {
    if (history.state === OVERLAY_STATE) history.back(); // `popstate` hides it
    else this.#hide();
  }

  #hide(): void {
    this.#openings++;
    this.root.hidden = true;
    this.#listener.onToggle();
    if (this.#opener?.isConnected) this.#opener.focus();
    this.#opener = undefined;
  }

  /** Shows a passage in its section, or on its page, with the block marked that was quoted. */
  async openPassage(passage: CitedPassage, opener: HTMLElement): Promise<void> {
    const from = knownCollections().length > 1 ? passage.collection : undefined;
    const place = [from, passage.source, placeText(passage.title, passage.location, passage.file_type)].filter(Boolean).join(' · ');
    const opening = this.#open({ title: passage.title, place }, opener);
    const { page } = passage.location;
    const collection = passage.collection ?? currentCollection()?.name;
    this.#sketches.append(...pageSketches(passage.location));
    this.#showText(passage.text, passage);
    const source = { id: passage.source, source: passage.source, title: passage.title };
    try {
      if (collection !== undefined)
        await this.#show({ collection, source, passage }, page === undefined ? { kind: 'section' } : { kind: 'page', page });
    } catch (error) {
      if (opening === this.#openings) this.#remark(`This is the passage alone, as it was found. ${errorText(error)}`);
    }
  }

  /** Shows a whole document. */
  async openDocument(source: StoredDocument, opener: HTMLElement): Promise<void> {
    const collection = currentCollection()?.name;
    if (collection === undefined) return;
    const opening = this.#open({ title: source.title, place: source.source }, opener);
    this.#text.replaceChildren(element('p', { class: 'remark' }, 'Reading…'));
    await this.#show({ collection, source }, { kind: 'document' }).catch((error: unknown) => {
      if (opening === this.#openings) this.#text.replaceChildren(problemBox(errorText(error)));
    });
  }

  #open({ title, place }: { title: string; place: string }, opener: HTMLElement): number {
    if (NARROW_SCREEN.matches && !this.isOpen) history.pushState(OVERLAY_STATE, ''); // so that the back button of a phone closes the reader
    this.#opener = opener;
    this.#title.textContent = title;
    this.#place.textContent = place;
    this.#sketches.replaceChildren();
    this.#tools.replaceChildren();
    this.root.hidden = false;
    this.#listener.onToggle();
    this.#title.focus({ preventScroll: true });
    return ++this.#openings;
  }

  #remark(text: string): void {
    this.#tools.replaceChildren(element('p', { class: 'remark' }, text));
  }

  async #show(opened: Opened, extent: Extent): Promise<void> {
    const opening = this.#openings;
    const { collection, source, passage } = opened;
    const document = await fetchSource(collection, source.id, extent.kind === 'page' ? extent.page : undefined);
    if (opening !== this.#openings) return;
    this.#tools.replaceChildren(...this.#toolsFor(opened, { document, extent }));
    const text = extent.kind === 'section' && passage ? sectionAround(document.text, passage.text) : document.text;
    this.#showText(text, extent.kind === 'page' && !isOnPage(passage?.location ?? {}, extent.page) ? undefined : passage);
  }

  #toolsFor(opened: Opened, { document, extent }: { document: GetSourceResult; extent: Extent }): HTMLElement[] {
    const { passage, source, collection } = opened;
    const show = (to: Extent) => () =>
      void this.#show(opened, to).catch((error: unknown) => this.#text.replaceChildren(problemBox(errorText(error))));
    const pages = [...new Set(document.chunks.flatMap(({ location: { page, page_end } }) => [page ?? [], page_end ?? []].flat()))].toSorted(
      (one, other) => one - other,
    );
    const tools: HTMLElement[] = [];
    if (passage && pages.length === 0)
      tools.push(button('Section', show({ kind: 'section' }), { class: 'toggle', 'aria-pressed': String(extent.kind === 'section') }));
    if (pages.length > 0) tools.push(...pager(pages, extent, show));
    tools.push(
      button('Whole document', show({ kind: 'document' }), { class: 'toggle', 'aria-pressed': String(extent.kind === 'document') }),
    );
    if (/^https?:\/\//.test(source.source))
      tools.push(
        element('a', { href: source.source, target: '_blank', rel: 'noopener noreferrer', class: 'outside' }, 'Open the original'),
      );
    if (!passage && mayWrite()) tools.push(this.#removal(collection, source));
    return tools;
  }

  /** Creates the button that removes a document; the second press confirms. */
  #removal(collection: string, source: StoredDocument): HTMLElement {
    const removal = button(
      'Remove',
      () => {
        if (!removal.classList.contains('danger')) {
          removal.classList.add('danger');
          removal.textContent = 'Remove for good?';
          return;
        }
        removeSource(collection, source.id).then(
          () => (this.close(), this.#listener.onRemoved(source)),
          (error: unknown) => this.#remark(errorText(error)),
        );
      },
      { class: 'quiet remove' },
    );
    removal.addEventListener('blur', () => (removal.classList.remove('danger'), (removal.textContent = 'Remove')));
    return removal;
  }

  /** Draws a text, highlights the blocks of the passage in it, and marks the quoted ones. */
  #showText(text: string, passage: CitedPassage | undefined): void {
    const prose = element('div', { class: 'prose' }, renderMarkdown(text));
    const marked = passage && markPassage(prose, passage);
    this.#text.replaceChildren(prose);
    const { top } = prose.getBoundingClientRect();
    const place = marked ? marked.getBoundingClientRect().top - top : 0;
    this.#text.scrollTop = place - this.#text.clientHeight / 3; // `scrollIntoView` would also scroll the page
  }
}

/** Identity of a document. */
type StoredDocument = Pick<GetSourceResult, 'id' | 'source' | 'title'>;

interface Opened {
  collection: string;
  source: StoredDocument;
  passage?: CitedPassage;
}

/** Highlights the blocks of a passage and marks the quoted ones. Returns the first mark. */
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
  const label = shown === undefined ? `${pages.length} pages` : `Page ${shown} of ${pages.at(-1)}`;
  return [
    element(
      'span',
      { class: 'pager', role: 'group', 'aria-label': 'Pages' },
      to('Previous page', '‹', pages[place - 1]),
      element('span', { role: 'status' }, label),
      to('Next page', '›', pages[place + 1]),
    ),
  ];
}
