import { KbError } from '../../base/errors.ts';
import type { HttpAnswer } from '../../base/http-message.ts';
import type { ParsedDocument } from '../../ports/reading.ts';
import { lettersOf } from './page-shell.ts';

/** Bytes of a page that is looked at: one about an error is small. */
const LARGEST = 20_000;
/** Characters in which a form is looked for. */
const LOOKED_AT = 500_000;

const HTML_TYPE = /^(text\/html|application\/xhtml\+xml|text\/plain|)$/;

const FAILURE =
  '(bad gateway|bad request|(service |site |page )?(is )?(temporarily )?unavailable|(gateway |request )?time-?out|(internal )?server error|' +
  'access denied|forbidden|unauthori[sz]ed|((page|file|resource) )?not found|too many requests|error)';

/** What stands in the title of a page that nobody asked an API for: a failure, alone, with its status or with the name of the site, or a wish to know who is asking. */
const ERROR = new RegExp(
  `^((error|http)[: ]*)?([45]\\d\\d\\W*)?${FAILURE}\\W*([|–—·-].*)?$|^((error|http)[: ]*)?[45]\\d\\d(\\W+${FAILURE}.*)?\\W*$|` +
    `^(just a moment|attention required)\\b.*|^(please )?(sign|log) ?in\\b.*|^(down for |under |scheduled )?maintenance( mode)?\\W*$`,
  'i',
);

/** Of these, what no page of content has for its title, however long it is: a status, or a bare wish. */
const SURE = /^((error|http)[: ]*)?[45]\d\d\b|^((please )?(sign|log) ?in|just a moment)\W*$/i;

/** Letters below which a page is nothing but its form, and below which it may be one that tells people to sign in, or that nothing is there. */
const BARE = 100;
const FEW = 400;
/** The same for a page with a field for a password, beside which terms and notices stand. */
const FEW_BESIDE_FORM = 2000;

/** What a web page says in its title, or its first heading, where that is an error or a wish for credentials; undefined for any other answer, and for a page under a bare word that has more to say. */
export function saysError({ bytes, content_type }: Pick<HttpAnswer, 'bytes' | 'content_type'>): string | undefined {
  if (bytes.length > LARGEST || !HTML_TYPE.test(content_type)) return undefined;
  const html = new TextDecoder().decode(bytes);
  if (!/<(!doctype|html|head|body|title)\b/i.test(html)) return undefined;
  const [title, heading] = [/<title[^<>]*>([^<]*)</i, /<h1[^<>]*>([^<]*)</i].map((place) =>
    place.exec(html)?.[1]?.replace(/\s+/g, ' ').trim(),
  );
  const said = title || heading;
  if (said === undefined || said.length > 100 || !ERROR.test(said)) return undefined;
  return SURE.test(said) || lettersOf(textIn(html)) < (PASSWORD.test(html) ? FEW_BESIDE_FORM : FEW) ? said : undefined;
}

/** What a small page shows, about. */
const textIn = (html: string): string =>
  html.replace(/<(script|style|head|template)\b(?:(?!<\1\b)[^])*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>/g, ' ');

const PASSWORD = /<input\b[^>]{0,500}\btype\s*=\s*["']?password\b/i;
/** What stands above a form to sign in. */
const SIGN_IN =
  /\b(?:(?:sign|log)[ -]?(?:in|on)|anmeld\w*|einloggen|connexion|connectez|iniciar sesi[oó]n|acced[ie]\w*|inloggen|logga in|entrar|zaloguj)\b|войти|вход|登录|登入|ログイン|로그인/i;
/** That there is nothing, in the languages of the web's larger sites. */
const NOTHING =
  '(?:(?:(?:the|this|that) )?(?:requested )?(?:page|document|article|file) )?(?:(?:was|could) )?not (?:be )?found|' +
  '(?:(?:die )?seite )?(?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)|p[aá]gina no encontrada';
/** The same, alone or beside the name of the site. */
const MISSING = new RegExp(
  `^(?:(?:oops|sorry)\\W+)?(?:(?:error|fehler|erreur|http)\\W+)?(?:404\\W*(?:${NOTHING})?|${NOTHING})\\W*(?:[|–—·-].*)?$`,
  'iu',
);

/**
 * Refuses a page that is there in place of the one that was asked for: one that wants its reader to sign in, or that says with a status of success that there is
 * nothing. Either has hardly any text; a longer one is about signing in, or about a status.
 */
export function assertIsAsked(source: string, html: Uint8Array, { text, title = '' }: Pick<ParsedDocument, 'text' | 'title'>): void {
  const letters = lettersOf(text, FEW);
  if (letters >= FEW) return;
  const headlines = [title, /^#{1,6} (.*)/.exec(text)?.[1] ?? ''];
  const asks = PASSWORD.test(Buffer.from(html.buffer, html.byteOffset, Math.min(html.byteLength, LOOKED_AT)).toString('latin1'));
  if (asks && (letters < BARE || headlines.some((line) => SIGN_IN.test(line))))
    throw new KbError('unauthorized', `${source} is a page to sign in on, and not what was asked for.`, {
      hint: 'Give the site what it wants to know in network.sites, as a cookie, a header or basic_auth, or leave the page out.',
    });
  const missing = headlines.find((line) => line.length <= 100 && MISSING.test(line.trim()));
  if (missing !== undefined)
    throw new KbError('not_found', `${source} says «${missing.trim()}», though it answered with a status of success.`, {
      hint: 'Check the address, or leave the page out.',
    });
}
