import { connection, isReachable, accessToken, mayWrite, RequestError } from './api.ts';
import {
  ALL,
  isAllChosen,
  canSearchAll,
  chooseCollection,
  collectionChanges,
  currentCollection,
  knownCollections,
  refreshCollections,
} from './collections.ts';
import { clearConversation } from './conversation.ts';
import { button, element, keyLabels } from './element.ts';
import { registerKeys, shortcutsDialog } from './keyboard.ts';
import type { Shell, View, ViewName } from './shell.ts';
import { AskView } from './views/ask.ts';
import { Reader } from './views/reader.ts';
import { SearchView } from './views/search.ts';
import { SourcesView } from './views/sources.ts';
import { TokenForm } from './views/token-form.ts';
import { Uploads } from './views/uploads.ts';

/** Milliseconds between checks whether the server is back. */
const RETRY = 3_000;

const status = element('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
const announce = (text: string): void => void (status.textContent = text);

const uploads = new Uploads(announce);
const main = element('main', { id: 'main' });
const reader = new Reader({
  onToggle() {
    document.body.classList.toggle('reads', reader.isOpen);
    for (const covered of [main, header] as HTMLElement[]) covered.inert = reader.isOverlay;
  },
  onRemoved({ title }) {
    announce(`${title} is removed.`);
    void refreshCollections();
  },
});
const shell: Shell = { reader, show, announce, chooseFiles: () => uploads.picker.click() };
const ask = new AskView(shell);
const views: readonly View[] = [ask, new SearchView(shell), new SourcesView(shell, uploads)];
const links = views.map(({ name, label }) => element('a', { href: `#${name}` }, label));
const collectionPicker = element('select', {
  'aria-label': 'Collection',
  hidden: true,
  onchange: () => chooseCollection(collectionPicker.value),
});
const shortcuts = shortcutsDialog();
/** Forgets the token with the answers it gave: the next person at this browser may have another token, or none. */
function forgetToken(): void {
  accessToken.forget();
  clearConversation();
  location.reload();
}

const signOut = button('Forget token', forgetToken, { class: 'quiet sign-out', hidden: true });
const banner = element('div', { class: 'banner', role: 'alert', hidden: true }, 'The server does not answer. Trying again…');
const header = element(
  'header',
  { class: 'top' },
  element('a', { class: 'brand', href: '#ask', 'aria-label': 'kb' }, element('span', {}, 'kb')),
  element('nav', { 'aria-label': 'Views' }, ...links),
  element(
    'div',
    { class: 'top-end' },
    collectionPicker,
    signOut,
    element(
      'button',
      { type: 'button', class: 'quiet help', 'aria-label': 'Keyboard shortcuts', onclick: () => shortcuts.showModal() },
      keyLabels('?'),
    ),
  ),
);
const tokenForm = new TokenForm(start);
const dropText = element('p', {});
const dropHint = element('div', { class: 'drop-hint', hidden: true }, dropText);

main.append(tokenForm.root, ...views.map(({ root }) => root));
document.body.append(
  element('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
  banner,
  header,
  main,
  reader.root,
  uploads.picker,
  dropHint,
  shortcuts,
  status,
);

/** The view that the address names. */
const namedView = (): View => views.find(({ name }) => `#${name}` === location.hash) ?? ask;

/** Focuses the field of the view; not on a phone, where that would open the keyboard. */
function focusView(): void {
  if (matchMedia('(hover: hover)').matches) namedView().focus();
}

/** Goes to a view. */
function show(name: ViewName): void {
  if (namedView().name === name) drawView();
  else location.hash = name;
}

function drawView(): void {
  const isLocked = !tokenForm.root.hidden;
  const shown = namedView();
  for (const [place, view] of views.entries()) {
    view.root.hidden = isLocked || view !== shown;
    if (view === shown) links[place]!.setAttribute('aria-current', 'page');
    else links[place]!.removeAttribute('aria-current');
  }
  if (!isLocked) shown.enter?.();
  header.classList.toggle('is-locked', isLocked);
  document.title = `${shown.label} · kb`;
}

function drawCollections(): void {
  const known = knownCollections();
  collectionPicker.hidden = known.length < 2;
  collectionPicker.replaceChildren(
    ...known.map(({ name }) => element('option', { value: name, selected: !isAllChosen() && name === currentCollection()?.name }, name)),
    ...(canSearchAll() ? [element('option', { value: ALL, selected: isAllChosen() }, 'All collections')] : []),
  );
}

/** Starts the page, also again with another token. */
async function start(): Promise<void> {
  try {
    await refreshCollections();
  } catch (error) {
    if (error instanceof RequestError && error.status === 403) askForToken(error.message);
    return; // the token form or the banner shows other errors
  }
  tokenForm.close();
  signOut.hidden = accessToken.get() === undefined;
  drawView();
  focusView();
}

/** Asks for a token, or for another one. */
function askForToken(refusal: string): void {
  accessToken.forget();
  if (reader.isOpen) reader.close();
  tokenForm.open(refusal);
  drawView();
}

connection.addEventListener('unauthorized', () =>
  askForToken(accessToken.get() === undefined ? '' : 'The server does not accept this token.'),
);

connection.addEventListener('unreachable', () => {
  if (!banner.hidden) return;
  banner.hidden = false;
  const retry = async (): Promise<void> => {
    if (!(await isReachable())) return void setTimeout(retry, RETRY);
    banner.hidden = true;
    await start();
  };
  setTimeout(retry, RETRY);
});

collectionChanges.addEventListener('change', drawCollections);
globalThis.addEventListener('hashchange', () => {
  drawView();
  focusView();
});
uploads.picker.addEventListener('change', () => show('sources'));
registerKeys({
  focusField: () => namedView().focus(),
  escape: () => (reader.isOpen ? reader.close() : ask.stop()),
  help: () => shortcuts.showModal(),
  showView: (place) => show(views[place]!.name),
});
receiveDrops();
drawView();
await start();

/** Lets files be dropped anywhere on the page. */
function receiveDrops(): void {
  let depth = 0;
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true && tokenForm.root.hidden === true;
  const move = (by: number) => (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth += by;
    dropHint.hidden = depth <= 0;
    dropText.textContent = mayWrite() ? 'Drop the files to store them' : 'Your token may not store files';
  };
  document.addEventListener('dragenter', move(1));
  document.addEventListener('dragleave', move(-1));
  document.addEventListener('dragover', move(0));
  document.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    dropHint.hidden = true;
    if (!mayWrite()) return;
    uploads.add([...event.dataTransfer!.files]);
    show('sources');
  });
}
