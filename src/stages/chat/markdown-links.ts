/** The text ends before it is clear what it is. */
export const MORE = Symbol('more');

/** Longest text of a link that is waited for; what is longer is shown, and its address is looked at when it comes. */
const LONGEST_TEXT = 400;

/** Letters within which an address ends, and the parenthesis around it closes: an answer is not held back for longer. */
export const LONGEST_ADDRESS = 2000;

/** Where a link leads to, with its length in the text. */
export interface Target {
  address: string;
  length: number;
  isDefinition?: boolean;
  /** The address does not end within the longest one, so that nobody knows it. */
  isTooLong?: boolean;
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

/** Where the parenthesis that a text begins with closes; undefined where it does not, before a blank line; MORE at the end of the text. */
function closingOf(text: string): number | undefined | typeof MORE {
  const blank = /\n[ \t]*\n/y;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    blank.lastIndex = i;
    if (text[i] === '\n' && blank.test(text)) return undefined;
    if (text[i] === '\\') i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return MORE;
}

/**
 * The address in the parentheses that open at `at` (CommonMark 6.3), with or without a title; undefined where they hold something else. What has a
 * scheme counts as an address whatever stands behind it: some renderers are lenient. Where the parenthesis does not close within the longest address,
 * the target is as long as the parenthesis and its address, and what follows is text.
 */
export function destinationAt(text: string, at: number, isEnd: boolean): Target | undefined | typeof MORE {
  const reach = text.slice(at, at + LONGEST_ADDRESS);
  const begun = /^\(\s*([^\s()<]+)\s+(?!["'(\s])[^)]/.exec(reach);
  if (begun && !/^(?:[a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(begun[1]!)) return undefined;
  const end = closingOf(reach);
  if (end === undefined) return undefined;
  if (end === MORE && reach.length < LONGEST_ADDRESS) return isEnd ? undefined : MORE;
  const inner = end === MORE ? reach : reach.slice(0, end);
  const [whole = '', angled, raw = ''] = /^\(\s*(?:<([^<>\n]*)>?|(\S*))/.exec(inner) ?? [];
  const address = angled ?? raw;
  if (end !== MORE) return { address, length: end + 1 };
  return { address, length: whole.length, isTooLong: whole.length === reach.length };
}

/**
 * The address of a definition (`[label]: address`), whose colon is at `at`; undefined for a word that leads nowhere but to its own page: a list of
 * sources looks like that.
 */
export function definitionAt(text: string, at: number, isEnd: boolean): Target | undefined | typeof MORE {
  const reach = text.slice(at, at + LONGEST_ADDRESS);
  const isOpen = /^:[ \t]*(?:\n[ \t]*)?(?:<[^<>\n]*|\S*)$/.test(reach);
  const isTooLong = isOpen && reach.length === LONGEST_ADDRESS;
  if (isOpen && !isTooLong && !isEnd) return MORE;
  const [whole = '', angled, raw = ''] = /^:[ \t]*(?:\n[ \t]*)?(?:<([^<>\n]*)>|(\S*))/.exec(reach) ?? [];
  const address = isTooLong ? reach.slice(1).trim() : (angled ?? raw);
  // Nothing but blanks, so far, may hold any address behind them.
  const isHidden = isTooLong && address === '';
  if (!isHidden && !/^[\\/]|[:&].|^(?:javascript|vbscript|data):/i.test(address)) return undefined;
  return { address, length: isTooLong ? reach.length : whole.length, isDefinition: true, isTooLong };
}
