import { button, element, keyLabels } from './element.ts';

const SWITCH_KEY = 'kb-single-keys';

/** Whether shortcuts without a modifier are on. They can be switched off, because they disturb speech input. */
const hasSingleKeys = (): boolean => localStorage.getItem(SWITCH_KEY) !== 'off';

interface KeyActions {
  focusField(): void;
  escape(): void;
  help(): void;
  /** Goes to a view by its index, from 0. */
  showView(place: number): void;
}

const isTextField = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches('input, textarea, select');

/** Listens for the shortcuts of the whole page. */
export function registerKeys({ focusField, escape, help, showView }: KeyActions): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape') return escape();
    if (event.altKey && /^Digit[1-3]$/.test(event.code)) return (event.preventDefault(), showView(Number(event.code.at(-1)) - 1));
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') return moveFocus(event);
    if (isTextField(event.target) || event.ctrlKey || event.metaKey || event.altKey || !hasSingleKeys()) return;
    const action = { '/': focusField, '?': help }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** Moves from one entry of a list to the next, and from a search field into its list. */
function moveFocus(event: KeyboardEvent): void {
  const from = document.activeElement as HTMLElement;
  const entries = [...document.querySelectorAll<HTMLElement>('[data-step]')].filter((entry) => entry.offsetParent !== null);
  const place = entries.indexOf(from);
  if (place < 0 && !(from.matches('input[type=search]') && event.key === 'ArrowDown')) return;
  event.preventDefault();
  const next = entries[place + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next) next.focus();
  else if (place === 0) document.querySelector<HTMLElement>('.view:not([hidden]) input[type=search]')?.focus();
}

const SHORTCUTS: readonly (readonly [string[], string])[] = [
  [['/'], 'Go to the field of the view'],
  [['Enter'], 'Ask, search, open'],
  [['Shift', 'Enter'], 'New line in a question'],
  [['↑'], 'The last question again, in an empty field'],
  [['↑', '↓'], 'Through a list'],
  [['Esc'], 'Close the source; stop the answer'],
  [['Alt', '1 – 3'], 'Ask, Search, Sources'],
  [['?'], 'This list'],
];

/** The list of shortcuts, with the switch for those of one key. */
export function shortcutsDialog(): HTMLDialogElement {
  const rows = SHORTCUTS.flatMap(([names, meaning]) => [element('dt', {}, keyLabels(...names)), element('dd', {}, meaning)]);
  const toggle = element('input', {
    type: 'checkbox',
    id: 'single-keys',
    checked: hasSingleKeys(),
    onchange: () => localStorage.setItem(SWITCH_KEY, toggle.checked ? 'on' : 'off'),
  });
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'shortcuts-title' },
    element('h2', { id: 'shortcuts-title' }, 'Keyboard shortcuts'),
    element('dl', {}, ...rows),
    element('label', { class: 'switch' }, toggle, ' Shortcuts of a single key'),
    button('Close', () => dialog.close(), { class: 'primary' }),
  );
  return dialog;
}
