import { KbError } from '../core/errors.ts';
import type { Filter, FilterScalar } from '../schema/stored/filter.ts';

type Kind = 'word' | 'text' | 'sign' | 'end';

interface Token {
  kind: Kind;
  text: string;
  at: number;
}

const SIGNS: Record<string, 'gt' | 'gte' | 'lt' | 'lte' | 'prefix' | 'is' | 'not'> = {
  '=': 'is',
  '!=': 'not',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '^=': 'prefix',
};
const RESERVED = new Set(['and', 'or', 'not', 'in', 'exists']);

/** Parentheses and «not» inside each other, at most: a filter may be 8 deep, and parentheses may be to spare. */
const DEEPEST = 100;

const TOKEN = /\s*(?:(?<sign>!=|<=|>=|\^=|[=<>(),])|(?<quote>["'])|(?<word>[^\s"'=<>!^(),]+))/y;

/** Explains an error in a condition, with a caret under the place. */
function whereError(text: string, at: number, problem: string): KbError {
  const line = text.replace(/\s/g, ' ');
  return new KbError('usage', `--where: ${problem}.\n  ${line}\n  ${' '.repeat(at)}^`);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    const at = from + /^\s*/.exec(text.slice(from))![0].length;
    if (!found) {
      if (at < text.length) throw whereError(text, at, `«${text[at]}» is not expected; values with such characters stand in quotes`);
      return [...tokens, { kind: 'end', text: '', at }];
    }
    const { sign, quote, word } = found.groups!;
    if (quote === undefined) tokens.push({ kind: sign === undefined ? 'word' : 'sign', text: (sign ?? word)!, at });
    else {
      const { value, end } = quotedText(text, at, quote);
      tokens.push({ kind: 'text', text: value, at });
      TOKEN.lastIndex = end;
    }
  }
}

/** The text in quotes; a backslash stands before a quote or a backslash in it. */
function quotedText(text: string, at: number, quote: string): { value: string; end: number } {
  let value = '';
  for (let i = at + 1; i < text.length; i++) {
    const isEscaped = text[i] === '\\' && (text[i + 1] === quote || text[i + 1] === '\\');
    if (text[i] === quote) return { value, end: i + 1 };
    value += isEscaped ? text[++i] : text[i];
  }
  throw whereError(text, at, 'the closing quote is missing');
}

/** Reads a condition such as `lang = de and (source ^= guides/ or not year < 2020)` as a filter. Throws a KbError (`usage`) that shows the place of a mistake. */
export const parseWhere = (text: string): Filter => new WhereParser(text).whole();

/** A descent over the words of a condition: `or` binds weakest, then `and`, then `not`. */
class WhereParser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  whole(): Filter {
    const filter = this.#either();
    if (this.#token.kind !== 'end') throw this.#expected('«and», «or» or the end');
    return filter;
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  /** Passes over the word or sign, if it stands here. */
  #takes(kind: 'word' | 'sign', text: string): boolean {
    const isHere = this.#token.kind === kind && this.#token.text.toLowerCase() === text;
    if (isHere) this.#next++;
    return isHere;
  }

  #expected(what: string): KbError {
    return whereError(this.#text, this.#token.at, `${what} is expected here`);
  }

  #either(): Filter {
    return this.#joined('or', () => this.#joined('and', () => this.#single()));
  }

  #joined(word: 'and' | 'or', part: () => Filter): Filter {
    const parts = [part()];
    while (this.#takes('word', word)) parts.push(part());
    return parts.length === 1 ? parts[0]! : { [word]: parts };
  }

  #single(): Filter {
    if (this.#depth > DEEPEST) throw whereError(this.#text, this.#token.at, 'the condition is nested too deeply');
    this.#depth++;
    const filter = this.#nested();
    this.#depth--;
    return filter;
  }

  #nested(): Filter {
    if (this.#takes('word', 'not')) return { not: this.#single() };
    if (!this.#takes('sign', '(')) return this.#comparison();
    const inner = this.#either();
    if (!this.#takes('sign', ')')) throw this.#expected('«and», «or» or «)»');
    return inner;
  }

  #comparison(): Filter {
    const field = this.#named('a field').text;
    if (this.#takes('word', 'exists')) return { [field]: { exists: true } };
    if (this.#takes('word', 'in')) return { [field]: { in: this.#values() } };
    const sign = this.#token.kind === 'sign' ? SIGNS[this.#token.text] : undefined;
    if (sign === undefined) throw this.#expected('one of =, !=, <, <=, >, >=, ^=, in, exists');
    this.#next++;
    const { kind, text } = this.#named('a value');
    if (sign === 'prefix') return { [field]: { prefix: text } };
    const value = kind === 'text' ? text : scalarOf(text);
    if (sign === 'is') return { [field]: value };
    if (sign === 'not') return { not: { [field]: value } };
    return { [field]: { [sign]: typeof value === 'boolean' ? text : value } };
  }

  #values(): FilterScalar[] {
    if (!this.#takes('sign', '(')) throw this.#expected('«(»');
    const found: FilterScalar[] = [];
    do {
      const { kind, text } = this.#named('a value');
      found.push(kind === 'text' ? text : scalarOf(text));
    } while (this.#takes('sign', ','));
    if (!this.#takes('sign', ')')) throw this.#expected('«,» or «)»');
    return found;
  }

  /** The field or value that stands here. */
  #named(what: string): Token {
    const token = this.#token;
    if (token.kind !== 'text' && (token.kind !== 'word' || RESERVED.has(token.text.toLowerCase()))) throw this.#expected(what);
    this.#next++;
    return token;
  }
}

/** Parses a word as a number or boolean if it is written as one; in quotes it would be a text. */
function scalarOf(word: string): FilterScalar {
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(word)) return Number(word);
  return word === 'true' || word === 'false' ? word === 'true' : word;
}
