import type { RetrieveResult } from '../../src/schema/answers.ts';
import type { Location, RetrievedItem } from '../../src/schema/items.ts';
import { errorText, searchPassages } from '../api.ts';
import { collectionsToSearch } from '../collections.ts';
import { button, element, keyLabels, problemBox } from '../element.ts';
import { collectionTag, placeText } from '../place.ts';
import { blocksIn, renderMarkdown } from '../markdown.ts';
import { findQuotedBlock, wordsOf } from '../passage.ts';
import type { Shell, View } from '../shell.ts';

/** Passages per request for more, and maximum passages. */
const PAGE_SIZE = 10;
const MAX_RESULTS = 50;
/** Maximum characters of a passage in a result. */
const SNIPPET_LENGTH = 320;
/** Minimum common letters of a word and a word of the query to be highlighted. */
const MIN_SHARED_LETTERS = 4;

/** The view that searches for passages, without an answer. */
export class SearchView implements View {
  readonly name = 'search';
  readonly label = 'Search';
  readonly root = element('section', { class: 'view search', 'aria-label': 'Search' });
  readonly #shell: Shell;
  readonly #field = element('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Find passages',
    'aria-label': 'Search',
    maxlength: 10_000,
  });
  readonly #found = element('div', { class: 'found' });
  #running: AbortController | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
    const form = element(
      'form',
      { class: 'searchbar', role: 'search', onsubmit: (event: SubmitEvent) => (event.preventDefault(), void this.#search(PAGE_SIZE)) },
      this.#field,
      element('button', { type: 'submit', class: 'primary' }, 'Search'),
    );
    this.root.append(form, this.#found);
    this.#showStart();
  }

  focus(): void {
    this.#field.select();
    this.#field.focus();
  }

  #showStart(): void {
    const hint = element(
      'p',
      {},
      'Passages by meaning and by words, best first. ',
      keyLabels('↑', '↓'),
      ' moves through them, ',
      keyLabels('Enter'),
      ' opens one.',
    );
    this.#found.replaceChildren(element('div', { class: 'empty' }, hint));
  }

  async #search(top_k: number): Promise<void> {
    const query = this.#field.value.trim();
    this.#running?.abort();
    if (query === '') return this.#showStart();
    const { signal } = (this.#running = new AbortController());
    const collection = collectionsToSearch();
    this.#found.setAttribute('aria-busy', 'true');
    this.#found.prepend(element('p', { class: 'stage', role: 'status' }, 'Searching…'));
    try {
      const result = await searchPassages({ query, collection, top_k }, signal);
      this.#draw(result, { collection, top_k });
    } catch (error) {
      if (signal.aborted) return;
      const message = errorText(error);
      this.#found.replaceChildren(
        problemBox(
          message,
          button('Try again', () => void this.#search(top_k), { class: 'quiet' }),
        ),
      );
    }
    this.#found.removeAttribute('aria-busy');
  }

  #draw(result: RetrieveResult, { collection, top_k }: { collection: string | string[] | undefined; top_k: number }): void {
    const { items, errors, notice, query, search_query } = result;
    const amount = items.length === 0 ? 'Nothing was found.' : items.length === 1 ? 'One passage' : `${items.length} passages`;
    const corrected = search_query === query ? '' : ` for "${search_query}"`;
    const list = element('ol', { class: 'hits' }, ...items.map((item) => this.#hit(item, { query: search_query, collection })));
    const more = items.length === top_k && top_k < MAX_RESULTS;
    this.#found.replaceChildren(
      ...errors.map(({ error }) => problemBox(error)),
      element('p', { class: 'amount', role: 'status' }, [amount + corrected, notice].filter(Boolean).join(' ')),
      list,
      ...(more ? [button('More passages', () => void this.#search(Math.min(MAX_RESULTS, top_k + PAGE_SIZE)), { class: 'quiet' })] : []),
    );
  }

  #hit(item: RetrievedItem, { query, collection: asked }: { query: string; collection: string | string[] | undefined }): HTMLElement {
    const { id, text, metadata, score } = item;
    const location = (metadata.location ?? {}) as Location;
    const source = String(metadata.source);
    const title = String(metadata.title ?? source);
    const collection = item.collection ?? [asked].flat()[0];
    const opener: HTMLButtonElement = element(
      'button',
      {
        type: 'button',
        class: 'hit',
        'data-step': true,
        onclick: () =>
          void this.#shell.reader.openPassage(
            { id, title, source, text, location, file_type: metadata.file_type, collection, statement: query },
            opener,
          ),
      },
      element('span', { class: 'name' }, title),
      element('span', { class: 'score', title: 'Similarity to the query, 0 to 1' }, score.toFixed(2)),
      element(
        'span',
        { class: 'place' },
        ...collectionTag(item.collection),
        [source, placeText(title, location, metadata.file_type)].filter(Boolean).join(' · '),
      ),
      snippet(text, query),
    );
    return element('li', {}, opener);
  }
}

/** Draws the block of a passage that matches the query best, truncated if it is long, with the words of the query highlighted. */
function snippet(text: string, query: string): HTMLElement {
  const blocks = blocksIn(renderMarkdown(text)).filter(({ tagName }) => !/^H\d$/.test(tagName));
  const texts = blocks.map((block) =>
    [...(block.tagName === 'TR' ? block.children : [block])].map((cell) => cell.textContent.trim()).join(' · '),
  );
  const best = texts[findQuotedBlock(texts, query)] ?? texts.join(' ');
  const shown = best.length > SNIPPET_LENGTH ? `${best.slice(0, SNIPPET_LENGTH).replace(/\s+\S*$/, '')} …` : best;
  const wanted = wordsOf(query);
  const fits = (word: string): boolean =>
    wanted.some(
      (one) => one === word || (Math.min(one.length, word.length) >= MIN_SHARED_LETTERS && (one.startsWith(word) || word.startsWith(one))),
    );
  const pieces = shown.split(/([\p{L}\p{N}]+)/u);
  const nodes = pieces.map((piece, place) => (place % 2 === 1 && fits(piece.toLowerCase()) ? element('b', {}, piece) : piece));
  return element('span', { class: 'snippet' }, ...nodes);
}
