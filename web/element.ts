type Value = string | number | boolean | undefined | ((event: never) => void);

/** A child of an element; undefined and false are skipped. */
export type Child = Node | string | undefined | false;

/**
 * Creates an element with attributes and children. A function becomes a listener (`onclick`), true an empty attribute; false and undefined
 * are skipped.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') created.addEventListener(name.slice(2), value as EventListener);
    else if (value !== undefined && value !== false) created.setAttribute(name, value === true ? '' : String(value));
  }
  created.append(...children.filter((child) => child !== undefined && child !== false));
  return created;
}

/** Creates a button that runs `onclick`. */
export const button = (label: string, onclick: () => void, attributes: Record<string, Value> = {}): HTMLButtonElement =>
  element('button', { type: 'button', onclick, ...attributes }, label);

/** Creates an error message with buttons that may help. */
export const problemBox = (message: string, ...actions: Child[]): HTMLElement =>
  element('div', { class: 'problem', role: 'alert' }, element('p', {}, message), ...actions);

/** Creates labels of keyboard keys. */
export const keyLabels = (...names: string[]): HTMLElement =>
  element('span', { class: 'keys' }, ...names.map((name) => element('kbd', {}, name)));

/** Text shown to users who may not add documents. */
export const READ_ONLY_NOTE = 'Your token may read only. Whoever runs this server can add documents.';
