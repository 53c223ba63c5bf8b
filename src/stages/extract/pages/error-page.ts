import { operatorAdvice } from '../../../core/advice/advice.ts';
import type { FileTypes, ParsedDocument } from '../../../ports/reading.ts';
import { KbError } from '../../../core/errors.ts';
import type { HttpResponse } from '../../../http/message.ts';
import { readBlocks } from '@citekb/documents/markdown';

/** Letters and digits below which scripts may have to write a page, and below which they certainly have to. */
const MAX_SHELL_LETTERS = 200;
const MIN_LETTERS = 50;
/** The limit for a page that asks for scripts, whose text may be only its frame. */
const MAX_FRAME_LETTERS = 1000;
/** Characters of a page that are searched for scripts. */
const MAX_SHELL_INSPECTED = 500_000;
/** Characters at the beginning that are searched for an empty mount element or a request for scripts. */
const MAX_BEGINNING = 50_000;

/** A script that can write text; data in a script element (JSON-LD, import maps) can't. */
const SCRIPT = /<script(?![^>]{0,300}\btype\s*=\s*["']?(?:application\/(?:ld\+)?json|importmap|speculationrules))[\s>]/i;
/** The empty element that frameworks write a page into. */
const MOUNT =
  /<(div|main|section|body)\b[^<>]{0,300}\bid\s*=\s*["']?(?:app|root|main|___?\w+|svelte|react-root|app-root)["']?[^<>]{0,300}>\s*<\/\1>/i;
const ASKS_FOR_SCRIPTS =
  /\b(?:enabled?|requires?|needs?|turn on|activate|without)\b[^.]{0,60}\bjava\s?script|\bjava\s?script\b[^.]{0,40}\b(?:required|needed|enabled|disabled|turned o[nf]+)\b/i;

/** Whether a page needs a browser to have text: `surely` if it has none or says so, `perhaps` if it has a few words and scripts. */
export function browserNeed(html: Uint8Array, { text, title = '' }: Pick<ParsedDocument, 'text' | 'title'>): 'none' | 'perhaps' | 'surely' {
  const titled = text.includes(title) ? countLetters(title) : 0;
  const letters = countLetters(text, MAX_FRAME_LETTERS + titled) - titled;
  const isAsking = letters < MAX_FRAME_LETTERS && ASKS_FOR_SCRIPTS.test(text);
  if (letters >= MAX_SHELL_LETTERS && !isAsking) return 'none';
  const markup = Buffer.from(html.buffer, html.byteOffset, Math.min(html.byteLength, MAX_SHELL_INSPECTED)).toString('latin1');
  if (!SCRIPT.test(markup)) return 'none';
  if (letters < MIN_LETTERS) return 'surely';
  if (letters >= MAX_SHELL_LETTERS) return 'perhaps';
  const beginning = markup.slice(0, MAX_BEGINNING);
  return isAsking || MOUNT.test(beginning) || ASKS_FOR_SCRIPTS.test(noscriptOf(beginning)) ? 'surely' : 'perhaps';
}

/** The first text for browsers without scripts. */
const noscriptOf = (markup: string): string => /<noscript>([^]{0,500})/i.exec(markup)?.[1]?.replace(/<\/noscript>[^]*/i, '') ?? '';

/** Counts letters and digits, up to a maximum, since a page may have millions. */
export function countLetters(text: string, most = Infinity): number {
  const letters = text.matchAll(/[\p{L}\p{N}]/gu);
  let count = 0;
  while (count < most && !letters.next().done) count++;
  return count;
}

/** Whether a text has more letters and digits than another, which is short. */
export function hasMoreLetters(text: string, than: string): boolean {
  const fewer = countLetters(than);
  return countLetters(text, fewer + 1) > fewer;
}

/** Maximum bytes of an error page that is sent instead of content. */
const MAX_ERROR_PAGE_BYTES = 20_000;
/** Characters that are searched for a form. */
const MAX_FORM_INSPECTED = 500_000;

const FAILURE =
  '(bad gateway|bad request|(service |site |page )?(is )?(temporarily )?unavailable|(gateway |request )?time-?out|(internal )?server error|' +
  'access denied|forbidden|unauthori[sz]ed|((page|file|resource) )?not found|too many requests|error)';

/** Titles of error pages: a failure alone, with its status or the name of the site, or a request to log in. */
const ERROR_TITLE = new RegExp(
  `^((error|http)[: ]*)?([45]\\d\\d\\W*)?${FAILURE}\\W*([|–—·-].*)?$|^((error|http)[: ]*)?[45]\\d\\d(\\W+${FAILURE}.*)?\\W*$|` +
    `^(just a moment|attention required)\\b.*|^(please )?(sign|log) ?in\\b.*|^(down for |under |scheduled )?maintenance( mode)?\\W*$`,
  'i',
);

/** Titles that only error and login pages have, however long they are. */
const CERTAIN_ERROR_TITLE = /^((error|http)[: ]*)?[45]\d\d\b|^((please )?(sign|log) ?in|just a moment)\W*$/i;

/** Maximum letters of a page with only a form, and of a login or error page. */
const MAX_FORM_LETTERS = 100;
const MAX_ERROR_LETTERS = 400;
/** The limit for a page with a password field, which may have terms and notices. */
const MAX_LOGIN_LETTERS = 2000;

/** Finds an error or login request in the title or first heading of a page; undefined for any other page. */
export function errorHeadline(
  { bytes, content_type }: Pick<HttpResponse, 'bytes' | 'content_type'>,
  { page }: Pick<FileTypes, 'page'>,
): string | undefined {
  if (bytes.length > MAX_ERROR_PAGE_BYTES || !['', 'text/plain', ...page.media_types].includes(content_type)) return undefined;
  const html = new TextDecoder().decode(bytes);
  if (!/<(!doctype|html|head|body|title)\b/i.test(html)) return undefined;
  const [title, heading] = [/<title[^<>]*>([^<]*)</i, /<h1[^<>]*>([^<]*)</i].map((place) =>
    place.exec(html)?.[1]?.replace(/\s+/g, ' ').trim(),
  );
  const headline = title || heading;
  if (headline === undefined || headline.length > 100 || !ERROR_TITLE.test(headline)) return undefined;
  return CERTAIN_ERROR_TITLE.test(headline) || countLetters(textIn(html)) < (PASSWORD.test(html) ? MAX_LOGIN_LETTERS : MAX_ERROR_LETTERS)
    ? headline
    : undefined;
}

/** Extracts the approximate text of a small page. */
const textIn = (html: string): string =>
  html.replace(/<(script|style|head|template)\b(?:(?!<\1\b)[^])*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>/g, ' ');

const PASSWORD = /<input\b[^>]{0,500}\btype\s*=\s*["']?password\b/i;
/** Headlines of login forms. */
const SIGN_IN =
  /\b(?:(?:sign|log)[ -]?(?:in|on)|anmeld\w*|einloggen|connexion|connectez|iniciar sesi[oó]n|acced[ie]\w*|inloggen|logga in|entrar|zaloguj)\b|войти|вход|登录|登入|ログイン|로그인/i;
/** «Not found» in several languages. */
const NOT_FOUND =
  '(?:(?:(?:the|this|that) )?(?:requested )?(?:page|document|article|file) )?(?:(?:was|could) )?not (?:be )?found|' +
  '(?:(?:die )?seite )?(?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)|p[aá]gina no encontrada';
/** A title that says «not found», perhaps beside the name of the site. */
const NOT_FOUND_TITLE = new RegExp(
  `^(?:(?:oops|sorry)\\W+)?(?:(?:error|fehler|erreur|http)\\W+)?(?:404\\W*(?:${NOT_FOUND})?|${NOT_FOUND})\\W*(?:[|–—·-].*)?$`,
  'iu',
);

/** Throws a KbError for a login page, or an error page with a success status. Both have hardly any text; a longer page is about logins or statuses. */
export function assertIsContent(source: string, html: Uint8Array, { text, title = '' }: Pick<ParsedDocument, 'text' | 'title'>): void {
  const letters = countLetters(text, MAX_ERROR_LETTERS);
  if (letters >= MAX_ERROR_LETTERS) return;
  const headlines = [title, readBlocks(text)[0]?.title ?? ''];
  const asks = PASSWORD.test(Buffer.from(html.buffer, html.byteOffset, Math.min(html.byteLength, MAX_FORM_INSPECTED)).toString('latin1'));
  if (asks && (letters < MAX_FORM_LETTERS || headlines.some((line) => SIGN_IN.test(line))))
    throw new KbError('unauthorized', `${source} is a login page, not the requested page.`, {
      hint: operatorAdvice`Add the credentials for the site to network.sites (a cookie, a header or basic_auth), or leave the page out.`,
    });
  const missing = headlines.find((line) => line.length <= 100 && NOT_FOUND_TITLE.test(line.trim()));
  if (missing !== undefined)
    throw new KbError('not_found', `${source} says «${missing.trim()}», although it returned a success status.`, {
      hint: 'Check the address, or leave the page out.',
    });
}
