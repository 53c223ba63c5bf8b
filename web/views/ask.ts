import type { ChatResult } from '../../src/schema/answers.ts';
import { renderAnswer, RunningTurn, turnFrame } from '../answer.ts';
import { errorText, askForAnswer, mayWrite, fetchSources } from '../api.ts';
import {
  collectionsToSearch,
  isAllChosen,
  chooseCollection,
  collectionChanges,
  currentCollection,
  knownCollections,
} from '../collections.ts';
import {
  clearConversation,
  type StoredConversation,
  restoreConversation,
  storeTurns,
  type StoredTurn,
  toStoredTurn,
  confidenceNote,
} from '../conversation.ts';
import { button, element, keyLabels, problemBox, READ_ONLY_NOTE } from '../element.ts';
import { collectionTag, placeText } from '../place.ts';
import type { Shell, View } from '../shell.ts';

/** Documents that an empty conversation suggests questions about. */
const SAMPLE_DOCUMENTS = 6;

/** The view in which questions are asked. */
export class AskView implements View {
  readonly name = 'ask';
  readonly label = 'Ask';
  readonly root = element('section', { class: 'view ask', 'aria-label': 'Ask' });
  readonly #shell: Shell;
  readonly #turns = element('div', { class: 'turns' });
  readonly #start = element('div', { class: 'start' });
  readonly #field = element('textarea', {
    id: 'question',
    rows: 1,
    placeholder: 'Ask a question',
    'aria-label': 'Question',
    maxlength: 10_000,
    enterkeyhint: 'send',
  });
  readonly #send = element('button', { type: 'submit', class: 'primary' }, 'Ask');
  readonly #stop = button('Stop', () => this.#running?.abort(), { class: 'stop', hidden: true });
  readonly #clear = button('Clear conversation', () => this.#clearConversation(), { class: 'quiet' });
  #conversation: StoredConversation = restoreConversation();
  #running: AbortController | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
    const hints = element(
      'p',
      { class: 'hints' },
      keyLabels('Enter'),
      ' asks · ',
      keyLabels('Shift', 'Enter'),
      ' new line · ',
      keyLabels('/'),
      ' comes back here',
    );
    const form = element(
      'form',
      { class: 'composer', onsubmit: (event: SubmitEvent) => (event.preventDefault(), void this.#ask()) },
      element('div', { class: 'composer-field' }, this.#field, this.#stop, this.#send),
      element('div', { class: 'composer-foot' }, hints, this.#clear),
    );
    this.root.append(element('div', { class: 'scroller' }, this.#start, this.#turns), form);
    this.#field.addEventListener('keydown', (event) => this.#onKey(event));
    this.#field.addEventListener('input', () => this.#fitHeight());
    collectionChanges.addEventListener('change', () => void this.#showStart());
    for (const turn of this.#conversation.turns) this.#turns.append(this.#drawTurn(turn));
    this.#updateControls();
  }

  focus(): void {
    this.#field.focus();
  }

  /** Stops the answer that is being written; false if there is none. */
  stop(): boolean {
    if (!this.#running) return false;
    this.#running.abort();
    return true;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void this.#ask();
    } else if (event.key === 'ArrowUp' && this.#field.value === '') {
      this.#field.value = this.#conversation.turns.at(-1)?.question ?? '';
      this.#fitHeight();
    }
  }

  /** Fits the height of the field to its text. */
  #fitHeight(): void {
    this.#field.style.height = 'auto';
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }

  #updateControls(): void {
    const isEmpty = this.#conversation.turns.length === 0 && !this.#running;
    this.#start.hidden = !isEmpty;
    this.#clear.hidden = isEmpty;
    this.#stop.hidden = !this.#running;
    this.#send.hidden = Boolean(this.#running);
    this.root.classList.toggle('is-empty', isEmpty);
  }

  #clearConversation(): void {
    this.#running?.abort();
    this.#conversation = { turns: [], history: [] };
    clearConversation();
    this.#turns.replaceChildren();
    this.#updateControls();
    this.#shell.announce('The conversation is cleared.');
    this.focus();
  }

  async #ask(question = this.#field.value.trim()): Promise<void> {
    if (question === '' || this.#running) return;
    this.#field.value = '';
    this.#fitHeight();
    const turn: StoredTurn = { question, collection: collectionsToSearch(), answer: '', sources: [], problems: [] };
    const running = (this.#running = new AbortController());
    this.#updateControls();
    const shown = new RunningTurn(turn.question);
    this.#turns.append(shown.root);
    shown.root.scrollIntoView({ block: 'start' });
    const conversation = this.#conversation;
    const done = await this.#run(turn, shown, running.signal);
    if (this.#running === running) this.#running = undefined;
    if (conversation !== this.#conversation) return; // it was cleared meanwhile
    conversation.turns.push(done);
    storeTurns(conversation);
    shown.root.replaceWith(this.#drawTurn(done));
    this.#updateControls();
    this.#shell.announce(done.stopped ? 'Stopped.' : `Answered. ${confidenceNote(done)?.text ?? ''}`);
  }

  async #run(turn: StoredTurn, shown: RunningTurn, signal: AbortSignal): Promise<StoredTurn> {
    const { history } = this.#conversation;
    const rewriting = history.length > 0 ? { query_rewrite: { enabled: true } } : {};
    try {
      for await (const event of askForAnswer({ query: turn.question, collection: turn.collection, history, ...rewriting }, signal)) {
        if (event.data.reset === true) shown.reset();
        if (event.type === 'token') shown.push(String(event.data.text));
        else shown.showStage(event);
        if (event.type !== 'final') continue;
        const result = event.data as unknown as ChatResult;
        this.#conversation.history = result.history;
        return toStoredTurn(turn, result);
      }
      return { ...turn, answer: shown.text, problems: ['The answer broke off.'] };
    } catch (error) {
      if (signal.aborted) return { ...turn, answer: shown.text, stopped: true };
      return { ...turn, answer: shown.text, problems: [errorText(error)] };
    }
  }

  /** Draws a finished turn. */
  #drawTurn(turn: StoredTurn): HTMLElement {
    const open = (citation: number, statement: string, opener: HTMLElement) => {
      const source = turn.sources.find((one) => one.citation === citation);
      if (source) this.#open(turn, source, { statement, opener });
    };
    const root = turnFrame(turn.question);
    if (turn.answer) root.append(renderAnswer(turn, open));
    if (turn.stopped) root.append(element('p', { class: 'remark' }, 'Stopped.'));
    const verdict = confidenceNote(turn);
    if (verdict) root.append(element('p', { class: `verdict ${verdict.level}` }, verdict.text));
    for (const message of turn.problems) root.append(problemBox(message));
    const actions = element('div', { class: 'actions' });
    if (turn.problems.length > 0 || turn.stopped)
      actions.append(button('Ask again', () => void this.#ask(turn.question), { class: 'quiet' }));
    if (turn.answer && isSecureContext) actions.append(button('Copy', () => void this.#copy(turn), { class: 'quiet' }));
    if (actions.firstChild) root.append(actions);
    root.append(...this.#sourceLists(turn));
    return root;
  }

  /** Copies an answer as Markdown, with its sources. */
  async #copy({ answer, sources }: StoredTurn): Promise<void> {
    const cited = sources.filter(({ cited: isCited }) => isCited);
    const lines = cited.map(
      ({ citation, title, collection, metadata, location }) =>
        `[${citation}] ${title}: ${[collection, metadata.source, placeText(title, location, metadata.file_type)].filter(Boolean).join(' · ')}`,
    );
    await navigator.clipboard.writeText([answer, ...lines].join('\n\n'));
    this.#shell.announce('Copied.');
  }

  /** Lists the cited sources and the others; without an answer, the nearest passages. */
  #sourceLists(turn: StoredTurn): HTMLElement[] {
    const list = (sources: StoredTurn['sources']) =>
      element('ol', { class: 'sources' }, ...sources.map((source) => element('li', {}, this.#sourceButton(turn, source))));
    const [cited, others] = [true, false].map((wanted) => turn.sources.filter(({ cited: isCited }) => isCited === wanted)) as [
      StoredTurn['sources'],
      StoredTurn['sources'],
    ];
    const lists = cited.length > 0 ? [element('h3', {}, cited.length === 1 ? 'Source' : 'Sources'), list(cited)] : [];
    if (others.length === 0 || turn.stopped) return lists;
    if (cited.length === 0) return [element('h3', {}, 'Closest passages'), list(others)];
    return [...lists, element('details', {}, element('summary', {}, `Also read: ${others.length}`), list(others))];
  }

  #sourceButton(turn: StoredTurn, source: StoredTurn['sources'][number]): HTMLElement {
    const opener: HTMLButtonElement = element(
      'button',
      { type: 'button', class: 'source', onclick: () => this.#open(turn, source, { statement: turn.highlight ?? turn.answer, opener }) },
      element('span', { class: 'number' }, String(source.citation)),
      element('span', { class: 'name' }, source.title),
      element(
        'span',
        { class: 'place' },
        ...collectionTag(source.collection),
        placeText(source.title, source.location, source.metadata.file_type),
      ),
    );
    return opener;
  }

  #open(turn: StoredTurn, source: StoredTurn['sources'][number], { statement, opener }: { statement: string; opener: HTMLElement }): void {
    const { id, title, text, location, metadata } = source;
    const collection = source.collection ?? [turn.collection].flat()[0];
    this.#shell.reader.openPassage(
      { id, title, text, location, file_type: metadata.file_type, source: String(metadata.source), collection, statement },
      opener,
    );
  }

  /** Shows the start of a conversation with all collections: their names, each a link to that one alone. */
  #showCollections(names: HTMLElement): void {
    const chips = knownCollections().map(({ name }) =>
      element(
        'li',
        {},
        button(name, () => chooseCollection(name), { class: 'chip' }),
      ),
    );
    names.append(...chips);
    this.#start.replaceChildren(
      element('h1', {}, 'Ask all collections'),
      element('p', {}, 'Each passage of an answer names the collection that it comes from.'),
      names,
    );
  }

  /** Shows the start of a conversation: what can be asked about, or how to add documents. */
  async #showStart(): Promise<void> {
    const collection = currentCollection();
    if (!collection || collection.chunks === 0) {
      this.#start.replaceChildren(
        element('h1', {}, 'Nothing is stored yet'),
        ...(mayWrite()
          ? [
              element(
                'p',
                {},
                'Drop documents anywhere on this page, choose them below, or run ',
                element('code', {}, 'kb ingest --docs FOLDER'),
                '.',
              ),
              button('Choose files', () => this.#shell.chooseFiles(), { class: 'primary' }),
            ]
          : [element('p', {}, READ_ONLY_NOTE)]),
      );
      return;
    }
    const titles = element('ul', { class: 'titles' });
    if (isAllChosen()) return this.#showCollections(titles);
    this.#start.replaceChildren(
      element('h1', {}, 'Ask your documents'),
      element('p', {}, 'Answers come from what is stored here, and say where it stands.'),
      titles,
    );
    const { sources } = await fetchSources(collection.name, { limit: SAMPLE_DOCUMENTS }).catch(() => ({ sources: [] }));
    if (collection !== currentCollection()) return;
    const questions = sources.length > 0 ? [...sources.map(({ title }) => questionAbout(title)), LIST_QUESTION] : [];
    titles.replaceChildren(
      ...questions.map((question) =>
        element(
          'li',
          {},
          button(question, () => void this.#ask(question), { class: 'chip' }),
        ),
      ),
    );
  }
}

/** A question for the list of documents, which every collection answers. */
const LIST_QUESTION = 'What documents do you have?';

/** A question that a document of this title answers: the title itself if it is one. */
const questionAbout = (title: string): string => (title.endsWith('?') ? title : `What is “${title}” about?`);
