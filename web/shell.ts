import type { Reader } from './views/reader.ts';

export type ViewName = 'ask' | 'search' | 'sources';

/** One of the page's views. */
export interface View {
  readonly name: ViewName;
  readonly label: string;
  readonly root: HTMLElement;
  /** Puts the focus where its work begins. */
  focus(): void;
  /** Told each time that it comes to be seen. */
  enter?(): void;
}

/** What the views share. */
export interface Shell {
  readonly reader: Reader;
  show(name: ViewName): void;
  /** Tells who cannot see the page what has come about. */
  announce(text: string): void;
  /** Lets a person choose files to be stored. */
  chooseFiles(): void;
}
