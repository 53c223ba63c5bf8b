import { splitArguments, type Definitions, withoutEscapes } from './roff-escapes.ts';

/** A line of text, or a request or macro with its arguments, which keep their escapes. */
export interface RoffLine {
  /** In the source, from 1. */
  line: number;
  /** Undefined: text. */
  macro?: string;
  args: readonly string[];
  /** The text, or all behind the name of the macro. */
  rest: string;
}

/** Lines that macros of the page itself may be expanded to, and how deep. */
const MOST_EXPANDED = 100_000;
const DEEPEST = 8;

/**
 * Reads the lines of a page: comments, conditions and definitions are dealt with, what a page defines itself is put in. A terminal is what is written
 * for, with the features of groff.
 */
export class RoffLines {
  readonly #strings = new Map<string, string>();
  readonly #registers = new Map<string, number>([
    ['.g', 1],
    ['.t', 1],
  ]);
  readonly #macros = new Map<string, string[]>();
  /** Whether the conditions of `.ie` held that wait for their `.el`. */
  readonly #held: boolean[] = [];
  #expanded = 0;

  get defined(): Definitions {
    return { strings: this.#strings, registers: this.#registers };
  }

  *read(source: string, isBuiltIn: (macro: string) => boolean): Generator<RoffLine, void, void> {
    yield* this.#lines(source.split('\n'), { isBuiltIn, depth: 0, line: undefined });
  }

  *#lines(lines: readonly string[], how: Reading): Generator<RoffLine, void, void> {
    /** Brackets of a branch that is not taken, and of a definition what ends it. */
    let [skipped, defining, ending] = [0, undefined as string[] | undefined, ''];
    for (let i = 0; i < lines.length; i++) {
      const line = how.line ?? i + 1;
      let text = lines[i]!;
      if (goesOn(text)) {
        const pieces: string[] = [];
        for (; goesOn(text) && i + 1 < lines.length; text = lines[++i]!) pieces.push(text.slice(0, -1));
        text = pieces.join('') + text;
      }
      if (defining) {
        if (/^[.'][ \t]*(\S*)/.exec(text)?.[1] === ending) defining = undefined;
        else defining.push(text);
        continue;
      }
      if (skipped > 0) {
        skipped += bracketsIn(text);
        continue;
      }
      const found = this.#branch(text);
      if (found === undefined) skipped = Math.max(0, bracketsIn(text));
      else {
        const request = /^[.'][ \t]*(de1?|am1?|ig)\b[ \t]*(\S*)[ \t]*(\S*)/.exec(withoutComment(found));
        if (!request) yield* this.#line(found, { ...how, line });
        else {
          const isIgnored = request[1] === 'ig';
          defining = [];
          ending = (isIgnored ? request[2] : request[3]) || '.';
          if (!isIgnored) this.#macros.set(request[2]!, defining);
        }
      }
    }
  }

  /** What a line holds behind its conditions; undefined where they do not hold. */
  #branch(text: string): string | undefined {
    let rest = text.replace(/\\\}/g, '');
    for (let request = CONDITION.exec(rest); request; request = CONDITION.exec(rest)) {
      const [all, kind] = request;
      const behind = rest.slice(all.length);
      let holds: boolean;
      if (kind === 'el') {
        holds = !(this.#held.pop() ?? true);
        rest = behind;
      } else {
        const { value, length } = this.#condition(behind);
        if (kind === 'ie') this.#held.push(value);
        holds = value;
        rest = behind.slice(length);
      }
      if (!holds) return undefined;
      rest = rest.replace(/^[ \t]*(?:\\\{)?[ \t]*/, '');
    }
    return rest.replace(/^\\\{/, '');
  }

  /** A condition at the start of a text, and how long it is. */
  #condition(text: string): { value: boolean; length: number } {
    const found = /^[ \t]*(!?)(?:([nteo](?![\w\\(]))|'([^']*)'([^']*)'|"([^"]*)"([^"]*)"|[cdrmFS][ \t]*\S+|\S+)/.exec(text) ?? [''];
    const [all, not, kind, one = found[5], other = found[6]] = found;
    const length = all.length;
    if (kind !== undefined) return { value: (kind === 'n' || kind === 'o') !== (not === '!'), length };
    if (one !== undefined)
      return { value: (withoutEscapes(one, this.defined) === withoutEscapes(other!, this.defined)) !== (not === '!'), length };
    const expression = withoutEscapes(all.trim().replace(/^!/, ''), this.defined);
    return { value: valueOf(expression) > 0 !== (not === '!'), length };
  }

  *#line(text: string, how: Reading): Generator<RoffLine, void, void> {
    const line = how.line!;
    const [all, name = ''] = /^[.'][ \t]*([^\s\\"]*)[ \t]*/.exec(text) ?? [];
    if (all === undefined) {
      yield { line, args: [], rest: text };
      return;
    }
    const rest = withoutComment(text.slice(all.length));
    if (name === '' || this.#define(name, rest)) return;
    const body = how.isBuiltIn(name) ? undefined : this.#macros.get(name);
    const args = splitArguments(rest);
    if (!body) yield { line, macro: name, args, rest };
    else if (how.depth < DEEPEST && (this.#expanded += body.length) < MOST_EXPANDED) {
      const put = (one: string) => one.replace(/\\\\\$([1-9*@])|\\\$([1-9*@])/g, (_, a?: string, b?: string) => argument(args, a ?? b!));
      yield* this.#lines(
        body.map((one) => put(one).replaceAll('\\\\', '\\')),
        { ...how, depth: how.depth + 1 },
      );
    }
  }

  /** Whether a request was a definition. */
  #define(name: string, rest: string): boolean {
    const [, key = '', value = ''] = /^(\S+)[ \t]*(.*)$/.exec(rest) ?? [];
    const string = value.replace(/^"/, '');
    if (name === 'ds') this.#strings.set(key, string);
    else if (name === 'as') this.#strings.set(key, ((this.#strings.get(key) ?? '') + string).slice(0, 10_000));
    else if (name === 'nr') this.#registers.set(key, parseInt(withoutEscapes(value, this.defined)) || 0);
    else return false;
    return true;
  }
}

interface Reading {
  isBuiltIn(macro: string): boolean;
  depth: number;
  /** Of the call, for the lines of a macro. */
  line: number | undefined;
}

/** Whether a line ends in a backslash that stands for itself, and is no comment. */
const goesOn = (text: string): boolean => text.endsWith('\\') && !/^[.'][ \t]*\\"/.test(text) && /(?:^|[^\\])(?:\\\\)*\\$/.test(text);

const withoutComment = (text: string): string => text.replace(/(?<!\\)\\".*$/, '');

const CONDITION = /^[.'][ \t]*(if|ie|el)\b[ \t]*/;

/** How many more brackets a line opens than it closes. */
const bracketsIn = (text: string): number => (text.match(/\\\{/g)?.length ?? 0) - (text.match(/\\\}/g)?.length ?? 0);

const argument = (args: readonly string[], which: string): string => (/\d/.test(which) ? (args[Number(which) - 1] ?? '') : args.join(' '));

/** The value of `3`, `1>0` or `2=2`; 0 for what is not known. */
function valueOf(expression: string): number {
  const [, one, sign, other] = /^\(?(-?\d+)[a-z]?(?:([<>]=?|==?)(-?\d+)[a-z]?)?\)?/.exec(expression) ?? [];
  const [left, right] = [Number(one ?? 0), Number(other ?? 0)];
  if (sign === undefined) return left;
  const holds = {
    '<': left < right,
    '>': left > right,
    '<=': left <= right,
    '>=': left >= right,
    '=': left === right,
    '==': left === right,
  };
  return holds[sign as keyof typeof holds] ? 1 : 0;
}
