import { decodeHTMLAttribute } from 'entities/decode';
import {
  bracketsAt,
  codeTracker,
  definitionAt,
  destinationAt,
  type LinkTarget,
  MAX_ADDRESS_LENGTH,
  MAX_TAG_LENGTH,
  NEED_MORE,
  tagAt,
} from '../../../text/markdown/partial-markdown.ts';

/** Schemes that links of an answer may have; others may do more than open a page. */
const SAFE_SCHEME = /^(?:https?|ftp|mailto|tel)$/i;

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

/** Characters that continue an address. */
const CONTINUATION = /^(?:[\p{L}\p{N}/&=%+@]|[.,:;!?'*_~-][\p{L}\p{N}/=&%])/u;

/** Decodes backslashes and entities as a renderer does. */
export const decodeAddress = (address: string): string =>
  decodeHTMLAttribute(address.replace(/\\([!-/:-@[-`{-~])/g, '$1'))
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0020\u007f]+/g, '');

const withoutFragment = (address: string): string => address.replace(/#.*$/s, '');

function spellingsOf(address: string): string[] {
  const plain = address.replace(/^(?:https?:\/\/|mailto:|tel:)/i, '');
  const all = [address, plain.includes('.') || plain.includes('@') ? plain : address];
  return [...new Set(all.flatMap((one) => [one, one.endsWith('/') ? one.slice(0, -1) : `${one}/`]))].filter((one) =>
    /[\p{L}\p{N}]/u.test(one),
  );
}

const occursAt = (text: string, at: number, address: string): boolean =>
  at >= 0 &&
  (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) &&
  text.startsWith(address, at) &&
  !CONTINUATION.test(text.slice(at + address.length, at + address.length + 2));

/** Whether a text contains one of the spellings as a whole. All contain the shortest, so that one scan is enough. */
function occursIn(text: string, all: readonly string[]): boolean {
  const [core, ...longer] = all.toSorted((a, b) => a.length - b.length);
  if (core === undefined) return false;
  const places = [{ spelling: core, before: 0 }, ...longer.map((spelling) => ({ spelling, before: spelling.indexOf(core) }))];
  for (let at = text.indexOf(core); at >= 0; at = text.indexOf(core, at + 1))
    if (places.some(({ spelling, before }) => occursAt(text, at - before, spelling))) return true;
  return false;
}

/** An absolute address. */
const ABSOLUTE_ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i;

/** The origin of a web address, such as `https://docs.example.com`; empty for any other address. */
const originOf = (address: string): string => (/^https?:/i.test(address) && URL.canParse(address) ? new URL(address).origin : '');

/** Whether an answer may link to an address. Images are stricter, since they load without a click. */
export type AddressCheck = (address: string, use?: 'image') => boolean;

/**
 * Creates a check whether an address may be linked: a text contains it as a whole, or it is one of `sources`, with any fragment. On the sites of
 * `sources`, a fragment may also follow an address from a text. Images from other sites must be in `sources`. Script and data addresses are
 * never allowed.
 */
export function createAddressCheck(texts: readonly string[], sources: readonly string[] = []): AddressCheck {
  const own = sources.join('\n');
  const whole = texts.join('\n');
  const sites = new Set(sources.map(originOf).filter((site) => site !== ''));
  return (written, use) => {
    const address = decodeAddress(written);
    const scheme = SCHEME.exec(address)?.[1];
    if (scheme !== undefined && !SAFE_SCHEME.test(scheme)) return false;
    if (occursIn(own, spellingsOf(withoutFragment(address)))) return true;
    const isOwn = sites.has(originOf(address));
    if (use === 'image' && ABSOLUTE_ADDRESS.test(address) && !isOwn) return false;
    return occursIn(whole, spellingsOf(isOwn ? withoutFragment(address) : address));
  };
}

/** A step: `length` characters are shown as `shown`, or replaced by `read` and read again. */
interface Step {
  length: number;
  shown?: string;
  read?: string;
  removed?: boolean;
}

type Next = Step | typeof NEED_MORE;

/** Replaces an address without link text. */
const REMOVED_MARK = '…';

/** The possible beginning of a link, tag or address. */
const MARKUP_START = /!?\[|!$|\]|<|[A-Za-z]|\/\/|\/$/;

/** An address, without CJK punctuation. */
const ADDRESS = new RegExp(String.raw`^[^\s<>"\x60[\]\u3000-\u303f\uff00-\uff65]{0,${MAX_ADDRESS_LENGTH}}`, 'u');
const CLOSING_PUNCTUATION = new Set(".,;:!?'*_~)}|\\»”’");

/** The beginning of a word; no scheme is longer. */
const WORD = /^[a-z][a-z0-9+.-]{0,199}/i;

/** Characters that would combine into new markup once the text between them is removed. */
const JOINS_AFTER = /[\w:/.+\]<!-]$/;
const JOINS_BEFORE = /^[\w:/.+([<>!-]/;

/** Whether the parentheses hold arguments of code, as in `handlers[name](event)`. */
const isArgument = (address: string): boolean => /^(?:[\w.~][\w.~/, +*()-]*)?$/.test(address) && !address.includes('//');

const plainStep = (text: string): Step => ({ length: text.length, shown: text });

function withoutClosing(run: string): string {
  let end = run.length;
  while (end > 0 && CLOSING_PUNCTUATION.has(run[end - 1]!)) end--;
  return run.slice(0, end);
}

/**
 * Reduces links, images and HTML with unknown addresses to their text while an answer is generated, also in code, which renderers delimit
 * differently. The output does not depend on how the answer is split into pieces.
 */
export class LinkFilter {
  /** Number of removed links, images and addresses. */
  removed = 0;
  #rest = '';
  #last = '';
  /** Whether something was removed after the last shown character, so that a space must separate parts that would combine. */
  #needsGap = false;
  #isEnd = false;
  readonly #code = codeTracker();
  readonly #isKnown: AddressCheck;

  constructor(isKnown: AddressCheck) {
    this.#isKnown = isKnown;
  }

  /** Returns what may be shown now. */
  push(piece: string): string {
    this.#rest += piece;
    return this.#read();
  }

  /** Returns what was held back. */
  end(): string {
    this.#isEnd = true;
    return this.#read();
  }

  #read(): string {
    let out = '';
    for (;;) {
      const at = this.#rest.search(MARKUP_START);
      out += this.#show(at < 0 ? this.#rest : this.#rest.slice(0, at));
      this.#rest = at < 0 ? '' : this.#rest.slice(at);
      const step = this.#rest === '' ? NEED_MORE : this.#nextStep(this.#rest);
      if (step === NEED_MORE) return out;
      const { length, read = '', removed } = step;
      this.#needsGap ||= removed !== undefined && JOINS_AFTER.test(this.#last);
      out += this.#show(step.shown ?? '');
      this.#rest = read + this.#rest.slice(length);
      if (removed) this.removed++;
    }
  }

  #show(given: string): string {
    if (given === '') return '';
    const text = this.#needsGap && JOINS_BEFORE.test(given) ? ` ${given}` : given;
    this.#needsGap = false;
    for (const letter of text) this.#code.step(letter);
    this.#last = text.at(-1)!;
    return text;
  }

  #nextStep(text: string): Next {
    if (text === '!' || text === '/') return this.#isEnd ? plainStep(text) : NEED_MORE;
    if (/^!?\[/.test(text)) return this.#readBrackets(text);
    if (text.startsWith(']')) return this.#readClosing(text);
    if (text.startsWith('<')) return this.#readAngle(text);
    return text.startsWith('//') ? this.#readSlashes(text) : this.#readWord(text);
  }

  #isForbidden({ address, isTooLong }: LinkTarget, use?: 'image'): boolean {
    if (isTooLong) return true;
    return decodeAddress(address) !== '' && !this.#isKnown(address, use) && !(this.#code.at('[') && isArgument(address));
  }

  /** Reads `[text](address)`, `[label]: address` and images. */
  #readBrackets(text: string): Next {
    const isImage = text.startsWith('!');
    const at = isImage ? 1 : 0;
    const inner = bracketsAt(text, at, this.#isEnd);
    if (inner === NEED_MORE) return NEED_MORE;
    // a label could refer to any definition, and a long text was not checked: a space turns the image into a link, except in code, which shows no image
    const opening = isImage && !this.#code.at('[') ? { length: 2, shown: '! [' } : plainStep(text.slice(0, at + 1));
    if (inner === undefined) return opening;
    const length = at + inner.length + 2;
    const target = this.#readTarget(text, length, { isDefinition: !isImage });
    if (target === NEED_MORE) return NEED_MORE;
    if (!target) return opening;
    if (!this.#isForbidden(target, isImage ? 'image' : undefined)) return plainStep(text.slice(0, at + 1));
    const kept = /^\^?\d+$/.test(inner) && !isImage ? `[${inner}]` : inner.trim();
    return { length: length + target.length, read: target.isDefinition ? `${kept}:` : kept || REMOVED_MARK, removed: true };
  }

  #readTarget(text: string, at: number, { isDefinition }: { isDefinition: boolean }): LinkTarget | undefined | typeof NEED_MORE {
    if (at >= text.length) return this.#isEnd ? undefined : NEED_MORE;
    if (text[at] === '(') return destinationAt(text, at, this.#isEnd);
    return text[at] === ':' && isDefinition ? definitionAt(text, at, this.#isEnd) : undefined;
  }

  /** Reads the end of a link whose beginning was shown. */
  #readClosing(text: string): Next {
    const target = this.#readTarget(text, 1, { isDefinition: true });
    if (target === NEED_MORE) return NEED_MORE;
    if (!target || !this.#isForbidden(target)) return plainStep(']');
    return { length: 1 + target.length, read: target.isDefinition ? ']:' : ']', removed: true };
  }

  /** Reads `<https://…>` or an HTML tag. */
  #readAngle(text: string): Next {
    // oxlint-disable-next-line no-control-regex
    const [whole, address = ''] = /^<([a-z][a-z0-9+.-]{1,31}:[^\u0000-\u0020<>]*)>/i.exec(text.slice(0, MAX_TAG_LENGTH + 1)) ?? [];
    if (whole && this.#isKnown(address)) return plainStep(whole);
    if (whole) return { length: whole.length, read: /^(?:mailto|tel):(.+)/is.exec(address)?.[1] ?? REMOVED_MARK, removed: true };
    const tag = tagAt(text, this.#isEnd);
    if (tag === NEED_MORE) return NEED_MORE;
    if (tag.kind === 'dangling' || /^<[a-z][a-z0-9+.-]*:\S/i.test(text.slice(0, MAX_TAG_LENGTH + 1))) return { length: 1, shown: '< ' };
    if (tag.kind === 'text') return plainStep('<');
    return { length: tag.length, read: '', removed: tag.kind === 'opening' };
  }

  /** Reads a word, which may begin an address. */
  #readWord(text: string): Next {
    const [name = ''] = WORD.exec(text) ?? [];
    const next = text.slice(name.length, name.length + 3);
    if (!this.#isEnd && '://'.startsWith(next) && next.length < 3) return NEED_MORE;
    return next === '://' || /^www\.[^\s<>"]/i.test(text) ? this.#readAddress(text) : plainStep(name);
  }

  /** Reads `//host.name`, or `//host` where HTML or CSS expects an address. */
  #readSlashes(text: string): Next {
    const [run = ''] = ADDRESS.exec(text) ?? [];
    if (run.length === text.length && !this.#isEnd) return NEED_MORE;
    const isHost = /\.[^.]/.test(run) || (run.length > 2 && /[=("':]/.test(this.#last));
    return isHost ? this.#readAddress(text) : plainStep('//');
  }

  #readAddress(text: string): Next {
    const [run = ''] = ADDRESS.exec(text) ?? [];
    if (run.length === text.length && !this.#isEnd) return NEED_MORE;
    if (run.length >= MAX_ADDRESS_LENGTH) return { length: run.length, shown: REMOVED_MARK, removed: true };
    // A source that contains the address with closing punctuation also contains it without.
    const bare = withoutClosing(run);
    if (this.#isKnown(bare) || (bare !== run && this.#isKnown(run))) return plainStep(run);
    const [latin = ''] = /^[\u0021-\u007e]*/.exec(run) ?? [];
    if (latin.length < run.length && this.#isKnown(withoutClosing(latin))) return plainStep(latin);
    return { length: bare.length, shown: REMOVED_MARK, removed: true };
  }
}
