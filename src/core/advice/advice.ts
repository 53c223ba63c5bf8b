import { AsyncLocalStorage } from 'node:async_hooks';
import { type NamedOperation, type NamedRequest, operatorWording, type Wording } from './wording.ts';

/** What an advice names: a key of the configuration, a field that requests alone have, or an operation. Each face has its own word for it. */
type Named = { setting: string; value?: string | undefined } | { field: string } | { call: NamedOperation; request: NamedRequest };

/** A sentence that says what to do, in the words of the face that shows it. Plain data: it may go from process to process. */
export interface Advice {
  parts: readonly (string | Named)[];
  /** Whose it is: anyone's who can do what it names, else the operator's; the operator's alone; nobody's where the face does not have what it names. */
  for: 'anyone' | 'operator' | 'nobody else';
}

/** What to do about an error: a sentence that every face shows as it is, an advice, or several of them. */
export type Hint = string | Advice | readonly (string | Advice)[];

type Texts = readonly string[];

const made =
  (reader: Advice['for']) =>
  (texts: Texts, ...named: (string | Named)[]): Advice => ({
    parts: texts.flatMap((text, i) => (i < named.length ? [text, named[i]!] : [text])),
    for: reader,
  });

/** An advice that names what its reader can use: `setting`, `field` and `call`. Where a face lacks one of them, it is the operator's to follow. */
export const advice = made('anyone');

/** An advice that only those who run kb can follow: of variables of the environment, files, programs. */
export const toOperator = made('operator');

/** Where to look, or what else there is; left out where the face does not have it. */
export const pointer = made('nobody else');

/** A key of the configuration (`ingestion.docs.ocr`), and the value that helps: `--ocr auto (ingestion.docs.ocr)`, or the field of a request that overrides it. */
export const setting = (path: string, value?: string): Named => ({ setting: path, value });

/** A field of a request that overrides no key: `--force`, or `force`. */
export const field = (name: string): Named => ({ field: name });

/** An operation with fields of its request: `kb collections drop manuals`, or `DELETE /v1/collections/manuals`. */
export const call = (operation: NamedOperation, request: NamedRequest = {}): Named => ({ call: operation, request });

const wordings = new AsyncLocalStorage<Wording>();

/** Calls `work` with the words of a face: what it says of what to do is in them. */
export const inWordsOf = <T>(wording: Wording, work: () => T): T => wordings.run(wording, work);

/** The hint as text, in the words of the face for which this work is done. Who can't follow an advice reads it as one for the operator. */
export function sayHint(hint: Hint): string {
  const wording = wordings.getStore() ?? operatorWording;
  const sentences = typeof hint === 'string' || 'parts' in hint ? [hint] : hint;
  return sentences
    .map((one) => (typeof one === 'string' ? one : sentence(one, wording)))
    .filter((said) => said !== '')
    .join(' ');
}

function sentence({ parts, for: reader }: Advice, wording: Wording): string {
  const own = reader === 'operator' && !wording.isOperators ? undefined : worded(parts, wording);
  if (own !== undefined) return own;
  if (reader === 'nobody else') return '';
  return `For the operator: ${worded(parts, operatorWording)!.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
}

/** Undefined where the face has no word for something. */
function worded(parts: Advice['parts'], wording: Wording): string | undefined {
  const words = parts.map((part) => (typeof part === 'string' ? part : wordFor(part, wording)));
  return words.every((word) => word !== undefined) ? words.join('') : undefined;
}

function wordFor(named: Named, wording: Wording): string | undefined {
  if ('setting' in named) return wording.setting(named.setting, named.value);
  return 'field' in named ? wording.field(named.field) : wording.call(named.call, named.request);
}
