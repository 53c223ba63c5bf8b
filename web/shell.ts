import type { Reader } from './views/reader.ts';

/** Names of the page's views. */
export type ViewName = 'ask' | 'search' | 'sources';

/** A view of the page. */
export interface View {
  readonly name: ViewName;
  readonly label: string;
  readonly root: HTMLElement;
  /** Moves the focus to its main control. */
  focus(): void;
  /** Called each time the view is shown. */
  enter?(): void;
}

/** Services that the views share. */
export interface Shell {
  readonly reader: Reader;
  show(name: ViewName): void;
  /** Announces a text to screen readers. */
  announce(text: string): void;
  /** Opens the file dialog for uploads. */
  chooseFiles(): void;
}
