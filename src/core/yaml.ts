import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
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
  // the library would compare each key with all before it
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent', uniqueKeys: false });
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const [broken] = document.errors;
  if (broken)
    throw new KbError(code, `${where}, line ${lineAt(broken.pos[0])}: this is not YAML: ${reasonOf(broken)}.`, { hint, cause: broken });
  const repeated = findRepeatedKey(document);
  if (repeated !== undefined)
    throw new KbError(code, `${where}, line ${lineAt(repeated)}: this is not YAML: Map keys must be unique.`, { hint });
  return { document, lineAt };
}

/** The offset of the first key that its map has already; undefined if there is none. */
function findRepeatedKey(document: Document): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          offset = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return offset;
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
