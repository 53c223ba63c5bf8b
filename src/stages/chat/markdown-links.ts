/** The text ends before it is clear what it is. */
export const MORE = Symbol('more');

/** Longest text of a link that is waited for; what is longer is shown, and its address is looked at when it comes. */
const LONGEST_TEXT = 400;

/** Where a link leads to, with its length in the text. */
export interface Target {
  address: string;
  length: number;
  isDefinition?: boolean;
}

/** What stands between the brackets that open at `at`, brackets in it included; undefined where they do not close. */
export function bracketsAt(text: string, at: number, isEnd: boolean): string | undefined | typeof MORE {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (i - at > LONGEST_TEXT || text.startsWith('\n\n', i)) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '[') depth++;
    else if (text[i] === ']' && --depth === 0) return text.slice(at + 1, i);
  }
  return isEnd ? undefined : MORE;
}

/** Where the parenthesis that opens at `at` closes; undefined where it does not, before a blank line. */
function closingOf(text: string, at: number, isEnd: boolean): number | undefined | typeof MORE {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (/^\n[ \t]*\n/.test(text.slice(i, i + 80))) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return isEnd ? undefined : MORE;
}

/**
 * The address in the parentheses that open at `at` (CommonMark 6.3), with or without a title; undefined where they hold something else. What has a
 * scheme counts as an address whatever stands behind it: some renderers are lenient.
 */
export function destinationAt(text: string, at: number, isEnd: boolean): Target | undefined | typeof MORE {
  const begun = /^\(\s*([^\s()<]+)\s+(?!["'(\s])[^)]/.exec(text.slice(at));
  if (begun && !/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(begun[1]!)) return undefined;
  const end = closingOf(text, at, isEnd);
  if (typeof end !== 'number') return end;
  const content = text.slice(at + 1, end).trim();
  const [, angled, raw = ''] = /^(?:<([^<>\n]*)>?|(\S*))/.exec(content) ?? [];
  return { address: angled ?? raw, length: end + 1 - at };
}

/**
 * The address of a definition (`[label]: address`), whose colon is at `at`; undefined for a word that leads nowhere but to its own page: a list of
 * sources looks like that.
 */
export function definitionAt(text: string, at: number, isEnd: boolean): Target | undefined | typeof MORE {
  const [whole = '', angled, raw = ''] = /^:[ \t]*\n?[ \t]*(?:<([^<>\n]*)>|(\S*))/.exec(text.slice(at)) ?? [];
  if (at + whole.length === text.length && !isEnd) return MORE;
  const address = angled ?? raw;
  if (!/^[\\/]|[:&].|^(?:javascript|vbscript|data):/i.test(address)) return undefined;
  return { address, length: whole.length, isDefinition: true };
}
