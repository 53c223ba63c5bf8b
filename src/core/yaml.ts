import { type Document, LineCounter, parseDocument } from 'yaml';
import { KbError } from './errors.ts';

/** Origin of a text of YAML or JSON, and the code and hint of its errors. */
interface YamlOrigin {
  where: string;
  hint?: string;
  /** Default: `usage`. */
  code?: 'usage' | 'configuration';
}

const TOO_DEEP = 'it is nested too deeply';

/** Says what is wrong with a text of YAML. The library reports the end of the stack like a mistake in the text. */
const reasonOf = (error: unknown): string => {
  const { message } = error as Error;
  return /call stack/i.test(message) ? TOO_DEEP : message.replace(/(?<![.\s])[.\s]+$/, '');
};

/** Parses a text of YAML or JSON. Throws a KbError with the line that is at fault and the reason; the text itself is not repeated. */
export function parseYamlDocument(
  text: string,
  { where, hint, code = 'usage' }: YamlOrigin,
): { document: Document; lineAt(offset: number): number } {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const [broken] = document.errors;
  if (broken)
    throw new KbError(code, `${where}, line ${lineAt(broken.pos[0])}: this is not YAML: ${reasonOf(broken)}.`, { hint, cause: broken });
  return { document, lineAt };
}

/** Runs `convert`, which makes a value of parsed YAML. Throws a KbError if that fails, or if the value contains itself or is nested too deeply. */
export function toPlainValue(convert: () => unknown, { where, hint, code = 'usage' }: YamlOrigin): unknown {
  let value: unknown;
  try {
    value = convert();
  } catch (cause) {
    throw new KbError(code, `${where}: this is not YAML: ${reasonOf(cause)}.`, { hint, cause }); // an alias of nothing, or of far too much
  }
  if (!isShallow(value, MAX_DEPTH)) throw new KbError(code, `${where}: ${TOO_DEEP}: at most ${MAX_DEPTH} levels are expected.`, { hint });
  return value;
}

/** Maximum nesting of lists and objects: far beyond that of any valid file. */
const MAX_DEPTH = 64;

/** Whether lists and objects are nested at most so deep. A value that contains itself is not. */
const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' || value === null || (depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1)));

/** Reads a text of YAML or JSON as a value. Throws a KbError with the line that is at fault and the reason; the text itself is not repeated. */
export function parseYaml(text: string, origin: YamlOrigin): unknown {
  const { document } = parseYamlDocument(text, origin);
  return toPlainValue(() => document.toJS(), origin);
}
