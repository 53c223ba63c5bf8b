import { mayWrite, errorText, fetchAllSources, fetchSources } from '../api.ts';
import { chooseCollection, collectionChanges, currentCollection, knownCollections, refreshCollections } from '../collections.ts';
import { button, element, problemBox, READ_ONLY_NOTE } from '../element.ts';
import type { StoredSourceSummary } from '../../src/schema/stored/stored-sources.ts';
import type { Shell, View } from '../shell.ts';
import { type Uploads } from './uploads.ts';

/** Documents per page. */
const PAGE_SIZE = 100;

/** The view of collections, documents and uploads. */
export class SourcesView implements View {
  readonly name = 'sources';
  readonly label = 'Sources';
  readonly root = element('section', { class: 'view stored', 'aria-label': 'Sources' });
  readonly #shell: Shell;
  readonly #collections = element('ul', { class: 'collections', 'aria-label': 'Collections' });
  readonly #facts = element('p', { class: 'facts' });
  readonly #field = element('input', {
    type: 'search',
    id: 'find-source',
    placeholder: 'Find a document by title or path',
    'aria-label': 'Find a document',
  });
  readonly #add = button('Add files', () => this.#shell.chooseFiles(), { class: 'primary' });
  readonly #amount = element('p', { class: 'amount', role: 'status' });
  readonly #list = element('ul', { class: 'documents' });
  readonly #more = element('div', {});
  #shown: StoredSourceSummary[] = [];
  /** All documents of the collection, after the first search. */
  #all: Promise<StoredSourceSummary[]> | undefined;
  #cursor: string | undefined;
  #loads = 0;
  /** Whether the first page is loading; a search waits for it. */
  #isLoading = false;
  /** Whether the collection may have changed since it was loaded. */
  #isStale = true;

  constructor(shell: Shell, uploads: Uploads) {
    this.#shell = shell;
    this.#field.addEventListener('input', () => void this.#find());
    this.root.append(
      element('div', { class: 'stored-head' }, element('h1', {}, 'Sources'), this.#add),
      this.#collections,
      uploads.root,
      this.#facts,
      this.#field,
      this.#amount,
      this.#list,
      this.#more,
    );
    collectionChanges.addEventListener('change', () => {
      this.#isStale = true;
      if (!this.root.hidden) this.enter();
    });
  }

  enter(): void {
    if (this.#isStale) void this.#reload();
  }

  focus(): void {
    this.#field.focus();
  }

  /** Loads the collection again. */
  async #reload(): Promise<void> {
    this.#isStale = false;
    const collection = currentCollection();
    const load = ++this.#loads;
    this.#all = undefined;
    this.#isLoading = true;
    this.#drawCollections();
    const isEmpty = !collection || collection.sources === 0;
    this.#field.hidden = isEmpty;
    this.#add.hidden = isEmpty || !mayWrite();
    if (isEmpty) return this.#showEmpty();
    const { embedding, chunks, sources, bytes } = collection;
    const model = embedding.provider === 'none' ? 'searched by words' : embedding.model;
    this.#facts.textContent = [amountOf(sources, 'document'), amountOf(chunks, 'passage'), bytes === null ? '' : sizeOf(bytes), model]
      .filter(Boolean)
      .join(' · ');
    try {
      const page = await fetchSources(collection.name, { limit: PAGE_SIZE });
      if (load !== this.#loads) return;
      this.#shown = page.sources;
      this.#cursor = page.cursor ?? undefined;
      this.#isLoading = false;
      await this.#find();
    } catch (error) {
      if (load === this.#loads)
        this.#list.replaceChildren(
          element(
            'li',
            {},
            problemBox(
              errorText(error),
              button('Try again', () => void refreshCollections(), { class: 'quiet' }),
            ),
          ),
        );
    }
  }

  #drawCollections(): void {
    const known = knownCollections();
    this.#collections.hidden = known.length < 2;
    this.#collections.replaceChildren(
      ...known.map(({ name, sources }) => {
        const isChosen = name === currentCollection()?.name;
        return element(
          'li',
          {},
          element(
            'button',
            { type: 'button', class: 'toggle', 'aria-pressed': String(isChosen), onclick: () => chooseCollection(name) },
            name,
            element('span', { class: 'count' }, String(sources)),
          ),
        );
      }),
    );
  }

  #showEmpty(): void {
    this.#facts.textContent = '';
    this.#amount.textContent = '';
    this.#list.replaceChildren();
    this.#more.replaceChildren(
      element(
        'div',
        { class: 'empty dropzone' },
        element('p', {}, element('strong', {}, 'Nothing is stored yet')),
        ...(mayWrite()
          ? [
              element('p', {}, 'Drop PDF, Word, PowerPoint, Excel, Markdown, HTML, text or CSV files here, or anywhere on this page.'),
              button('Choose files', () => this.#shell.chooseFiles(), { class: 'primary' }),
            ]
          : [element('p', {}, READ_ONLY_NOTE)]),
      ),
    );
  }

  /** Shows the documents that match the words in the field; all if it is empty. */
  async #find(): Promise<void> {
    const wanted = this.#field.value.trim().toLowerCase();
    const load = this.#loads;
    const collection = currentCollection()?.name;
    if (this.#isLoading) return;
    if (wanted === '' || collection === undefined) return this.#draw(this.#shown, this.#cursor !== undefined);
    if (this.#cursor !== undefined) this.#amount.textContent = 'Searching…';
    const all = this.#cursor === undefined ? this.#shown : await this.#fetchAll(collection);
    if (!all || load !== this.#loads || wanted !== this.#field.value.trim().toLowerCase()) return;
    const words = wanted.split(/\s+/);
    this.#draw(
      all.filter(({ title, source }) => words.every((word) => `${title} ${source}`.toLowerCase().includes(word))),
      false,
    );
  }

  /** Fetches all documents of the collection once; a failure is shown, and the next search tries again. */
  async #fetchAll(collection: string): Promise<StoredSourceSummary[] | undefined> {
    try {
      return await (this.#all ??= fetchAllSources(collection));
    } catch (error) {
      this.#all = undefined;
      this.#amount.textContent = errorText(error);
      return undefined;
    }
  }

  #draw(sources: readonly StoredSourceSummary[], hasMore: boolean): void {
    this.#amount.textContent =
      this.#field.value.trim() === ''
        ? ''
        : sources.length === 0
          ? 'No document has these words in its title or path.'
          : amountOf(sources.length, 'document');
    this.#list.replaceChildren(...sources.slice(0, Math.max(PAGE_SIZE, this.#shown.length)).map((source) => this.#row(source)));
    this.#more.replaceChildren(...(hasMore ? [button('Show more', () => void this.#next(), { class: 'quiet' })] : []));
  }

  async #next(): Promise<void> {
    const collection = currentCollection()?.name;
    if (collection === undefined || this.#cursor === undefined) return;
    const page = await fetchSources(collection, { limit: PAGE_SIZE, cursor: this.#cursor });
    this.#shown.push(...page.sources);
    this.#cursor = page.cursor ?? undefined;
    this.#draw(this.#shown, this.#cursor !== undefined);
  }

  #row(source: StoredSourceSummary): HTMLElement {
    const opener: HTMLButtonElement = element(
      'button',
      { type: 'button', class: 'document', 'data-step': true, onclick: () => void this.#shell.reader.openDocument(source, opener) },
      element('span', { class: 'kind' }, source.file_type),
      element('span', { class: 'name' }, source.title),
      element('span', { class: 'place' }, source.source),
      element('span', { class: 'count' }, amountOf(source.chunks, 'passage')),
      element(
        'span',
        { class: 'date' },
        source.ingested_at ? new Date(source.ingested_at).toLocaleDateString(undefined, { dateStyle: 'medium' }) : '',
      ),
    );
    return element('li', {}, opener);
  }
}

const amountOf = (count: number, name: string): string => `${count.toLocaleString()} ${name}${count === 1 ? '' : 's'}`;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return (bytes / 1000 ** power).toLocaleString(undefined, { style: 'unit', unit: UNITS[power]!, maximumFractionDigits: 1 });
}
