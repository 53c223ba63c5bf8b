import { LineCounter, parseDocument } from 'yaml';
import { KbError } from './errors.ts';

/** Reads a text of YAML or JSON that `where` names. Throws a KbError (`usage`) with the line that is at fault and the reason; the text itself is not repeated. */
export function parseYaml(text: string, { where, hint }: { where: string; hint: string }): unknown {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const [broken] = document.errors;
  if (broken) {
    const { line } = counter.linePos(broken.pos[0]);
    throw new KbError('usage', `${where}, line ${line}: this is not YAML: ${broken.message}.`, { hint });
  }
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    throw new KbError('usage', `${where}: this is not YAML: ${(cause as Error).message}.`, { hint, cause }); // an alias of nothing, or of far too much
  }
}
