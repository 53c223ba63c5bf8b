import { KbError } from '../core/errors.ts';
import type { Filter, FilterScalar } from '../schema/stored/filter.ts';

type Kind = 'word' | 'text' | 'sign' | 'end';

interface Token {
  kind: Kind;
  text: string;
  at: number;
}

const OPERATORS: Record<string, 'gt' | 'gte' | 'lt' | 'lte' | 'prefix' | 'is' | 'not'> = {
  '=': 'is',
  '!=': 'not',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '^=': 'prefix',
};
const RESERVED = new Set(['and', 'or', 'not', 'in', 'exists']);

/** Maximum nesting of parentheses and "not". A filter may be 8 deep, but parentheses may be superfluous. */
const MAX_DEPTH = 100;

const TOKEN = /\s*(?:(?<sign>!=|<=|>=|\^=|[=<>(),])|(?<quote>["'])|(?<word>[^\s"'=<>!^(),]+))/y;

/** Explains an error in a condition, with a caret under the place. */
function whereError(text: string, at: number, problem: string): KbError {
  const line = text.replace(/\s/g, ' ');
  return new KbError('usage', `--where: ${problem}.\n  ${line}\n  ${' '.repeat(at)}^`);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    const at = from + /^\s*/.exec(text.slice(from))![0].length;
    if (!found) {
      if (at < text.length) throw whereError(text, at, `"${text[at]}" is not expected; values with such characters stand in quotes`);
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

/** Parses a condition such as `lang = de and (source ^= guides/ or not year < 2020)` as a filter. Throws a KbError (`usage`) that shows the place of a mistake. */
export const parseWhere = (text: string): Filter => new WhereParser(text).parse();

/** A recursive descent parser: `or` binds weakest, then `and`, then `not`. */
class WhereParser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Filter {
    const filter = this.#parseOr();
    if (this.#token.kind !== 'end') throw this.#expectedError('"and", "or" or the end');
    return filter;
  }

  get #token(): Token {
    return this.#tokens[this.#next]!;
  }

  /** Consumes the current token if it is this word or sign. */
  #accept(kind: 'word' | 'sign', text: string): boolean {
    const isHere = this.#token.kind === kind && this.#token.text.toLowerCase() === text;
    if (isHere) this.#next++;
    return isHere;
  }

  #expectedError(what: string): KbError {
    return whereError(this.#text, this.#token.at, `${what} is expected here`);
  }

  #parseOr(): Filter {
    return this.#parseSequence('or', () => this.#parseSequence('and', () => this.#parseUnary()));
  }

  #parseSequence(word: 'and' | 'or', part: () => Filter): Filter {
    const parts = [part()];
    while (this.#accept('word', word)) parts.push(part());
    return parts.length === 1 ? parts[0]! : { [word]: parts };
  }

  #parseUnary(): Filter {
    if (this.#depth > MAX_DEPTH) throw whereError(this.#text, this.#token.at, 'the condition is nested too deeply');
    this.#depth++;
    const filter = this.#parseGroup();
    this.#depth--;
    return filter;
  }

  #parseGroup(): Filter {
    if (this.#accept('word', 'not')) return { not: this.#parseUnary() };
    if (!this.#accept('sign', '(')) return this.#parseComparison();
    const inner = this.#parseOr();
    if (!this.#accept('sign', ')')) throw this.#expectedError('"and", "or" or ")"');
    return inner;
  }

  #parseComparison(): Filter {
    const field = this.#parseOperand('a field').text;
    if (this.#accept('word', 'exists')) return { [field]: { exists: true } };
    if (this.#accept('word', 'in')) return { [field]: { in: this.#parseList() } };
    const sign = this.#token.kind === 'sign' ? OPERATORS[this.#token.text] : undefined;
    if (sign === undefined) throw this.#expectedError('one of =, !=, <, <=, >, >=, ^=, in, exists');
    this.#next++;
    const { kind, text } = this.#parseOperand('a value');
    if (sign === 'prefix') return { [field]: { prefix: text } };
    const value = kind === 'text' ? text : parseScalar(text);
    if (sign === 'is') return { [field]: value };
    if (sign === 'not') return { not: { [field]: value } };
    return { [field]: { [sign]: typeof value === 'boolean' ? text : value } };
  }

  #parseList(): FilterScalar[] {
    if (!this.#accept('sign', '(')) throw this.#expectedError('"("');
    const found: FilterScalar[] = [];
    do {
      const { kind, text } = this.#parseOperand('a value');
      found.push(kind === 'text' ? text : parseScalar(text));
    } while (this.#accept('sign', ','));
    if (!this.#accept('sign', ')')) throw this.#expectedError('"," or ")"');
    return found;
  }

  /** Consumes the current token as a field or value. */
  #parseOperand(what: string): Token {
    const token = this.#token;
    if (token.kind !== 'text' && (token.kind !== 'word' || RESERVED.has(token.text.toLowerCase()))) throw this.#expectedError(what);
    this.#next++;
    return token;
  }
}

/** Parses a word as a number or boolean if it is written as one; in quotes it would be a text. */
function parseScalar(word: string): FilterScalar {
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(word)) return Number(word);
  return word === 'true' || word === 'false' ? word === 'true' : word;
}
