import type { Definitions } from './roff-escapes.ts';
import type { RoffWriter } from './roff-writer.ts';

/** The page that macros write to. */
export interface MacroTarget {
  readonly writer: RoffWriter;
  readonly defined: Definitions;
  /** Of the link whose text is being read. */
  address: string;
  title(name: string | undefined, section: string | undefined): void;
  heading(level: number, text: string, line: number): void;
  /** The next text is what is defined by the text behind it. */
  nextIsTerm(): void;
  /** Text without escapes. */
  text(text: string, line: number): void;
}
