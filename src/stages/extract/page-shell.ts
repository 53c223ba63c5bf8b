import type { ParsedDocument } from '../../ports/reading.ts';

/** Letters and digits below which a page may be one that its scripts have yet to write, and below which it surely is. */
const FEW = 200;
const NONE = 50;
/** Letters and digits below which a page that asks for scripts may be one that has no more to say than what stands around its empty place. */
const SHORT = 1000;
/** Characters of a page that are looked at. */
const LOOKED_AT = 500_000;
/** Those in which a page that is a shell says so. */
const BEGINNING = 50_000;

/** A script that can write text; data that only looks like one (JSON-LD, import maps) can't. */
const SCRIPT = /<script(?![^>]{0,300}\btype\s*=\s*["']?(?:application\/(?:ld\+)?json|importmap|speculationrules))[\s>]/i;
/** The empty element that frameworks write a page into. */
const MOUNT =
  /<(div|main|section|body)\b[^<>]{0,300}\bid\s*=\s*["']?(?:app|root|main|___?\w+|svelte|react-root|app-root)["']?[^<>]{0,300}>\s*<\/\1>/i;
const ASKS_FOR_SCRIPTS =
  /\b(?:enabled?|requires?|needs?|turn on|activate|without)\b[^.]{0,60}\bjava\s?script|\bjava\s?script\b[^.]{0,40}\b(?:required|needed|enabled|disabled|turned o[nf]+)\b/i;

/**
 * Whether a page has to be opened in a browser before there is anything to read: `surely` where it holds no text, or says itself that it is a shell; `perhaps`
 * where it holds a few words and has scripts, which may as well be all that it is.
 */
export function needOfBrowser(
  html: Uint8Array,
  { text, title = '' }: Pick<ParsedDocument, 'text' | 'title'>,
): 'none' | 'perhaps' | 'surely' {
  const titled = text.includes(title) ? lettersOf(title) : 0;
  const letters = lettersOf(text, SHORT + titled) - titled;
  const isAsking = letters < SHORT && ASKS_FOR_SCRIPTS.test(text);
  if (letters >= FEW && !isAsking) return 'none';
  const markup = Buffer.from(html.buffer, html.byteOffset, Math.min(html.byteLength, LOOKED_AT)).toString('latin1');
  if (!SCRIPT.test(markup)) return 'none';
  if (letters < NONE) return 'surely';
  if (letters >= FEW) return 'perhaps';
  const beginning = markup.slice(0, BEGINNING);
  return isAsking || MOUNT.test(beginning) || ASKS_FOR_SCRIPTS.test(noscriptOf(beginning)) ? 'surely' : 'perhaps';
}

/** What the first part says that is for browsers without scripts. */
const noscriptOf = (markup: string): string => /<noscript>([^]{0,500})/i.exec(markup)?.[1]?.replace(/<\/noscript>[^]*/i, '') ?? '';

/** How many letters and digits a text has, as far as they are counted: a page may have millions. */
export function lettersOf(text: string, most = Infinity): number {
  const letters = text.matchAll(/[\p{L}\p{N}]/gu);
  let count = 0;
  while (count < most && !letters.next().done) count++;
  return count;
}

/** Whether a text has more letters and digits than another, which is short. */
export function hasMoreLetters(text: string, than: string): boolean {
  const fewer = lettersOf(than);
  return lettersOf(text, fewer + 1) > fewer;
}
