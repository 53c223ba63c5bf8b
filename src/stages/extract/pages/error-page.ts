import { operatorAdvice, SITE_CREDENTIALS_ADVICE } from '../../../core/advice/advice.ts';
import type { ParsedDocument } from '../../../ports/reading.ts';
import { KbError } from '../../../core/errors.ts';
import { readBlocks } from '@citekb/documents/markdown';

/** Letters and digits below which scripts may have to write a page, and below which they certainly have to. */
const MAX_SHELL_LETTERS = 200;
const MIN_LETTERS = 50;
/** The limit for a page that asks for scripts, whose text may be only its frame. */
const MAX_FRAME_LETTERS = 1000;
/** Characters of a page that are searched for scripts. */
const MAX_SHELL_INSPECTED = 500_000;
/** A script that can write text; data in a script element (JSON-LD, import maps) can't. */
const SCRIPT = /<script(?![^>]{0,300}\btype\s*=\s*["']?(?:application\/(?:ld\+)?json|importmap|speculationrules))[\s>]/i;
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
  return letters < MIN_LETTERS || (isAsking && letters < MAX_SHELL_LETTERS) ? 'surely' : 'perhaps';
}

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

/** Characters that are searched for a form. */
const MAX_FORM_INSPECTED = 500_000;

/** What pages say that stand in the place of content, as a whole title, heading or first line. */
const FAILURES = [
  'bad (gateway|request)',
  '(the )?(service |site |page |server )?(is )?(currently |temporarily )?(unavailable|offline|down)',
  '(gateway |request )?time-?out',
  '(internal )?server error',
  '(access|permission|request) (denied|blocked|forbidden)|forbidden|unauthori[sz]ed',
  'too many requests|rate limit(ed| exceeded)',
  'just a moment|attention required|pardon our interruption|one more step',
  '(checking|verifying) .{0,40}(browser|human)|(verify|confirm) .{0,20}human|are you (a )?(human|robot)|security (check|verification)',
  'error establishing a database connection|(php )?(fatal|parse) error',
  '(this )?account (has been )?suspended',
  "we'll be (right )?back( soon)?|down for( scheduled)? maintenance|(under|scheduled) maintenance|maintenance mode",
  'zugriff (verweigert|verboten)|(dienst|seite) (derzeit |vorübergehend )?nicht (verfügbar|erreichbar)|zu viele anfragen|interner serverfehler|wartungs(modus|arbeiten)',
  '(site )?en maintenance|maintenance en cours|accès (refusé|interdit)|service (temporairement |momentanément )?indisponible|trop de requêtes|erreur interne( du serveur)?',
  '(sitio )?en mantenimiento|acceso (denegado|prohibido)|servicio (temporalmente )?no disponible|demasiadas solicitudes|error interno( del servidor)?',
  '(sito )?in manutenzione|accesso negato|servizio (temporaneamente )?non disponibile|(site )?em manutenção|acesso negado|serviço indisponível',
  'toegang geweigerd|in onderhoud|tijdelijk niet beschikbaar|przerwa techniczna|dostęp zabroniony',
  '(ведутся )?технические работы|доступ (запрещ[её]н|ограничен)|(сервис|сайт) (временно )?недоступен|слишком много запросов',
  '(ただいま)?メンテナンス中(です)?|アクセスが拒否されました|サービス(は|を)?(現在)?(ご?利用(いただけ|でき)ません|停止中)|(系统|网站|服务器)?(正在)?维护中?|访问(被拒绝|受限)|服务(暂时)?不可用|점검 ?중(입니다)?|접근이? ?거부(되었습니다)?',
];
/** Words that are a failure only beside a request to come back later: they also are headings of manuals. */
const WEAK_FAILURES =
  '(site )?(maintenance|wartung|onderhoud|mantenimiento|manutenzione)|(application )?error|fehler|erreur|something went wrong';

const headlineOf = (wording: string): RegExp =>
  new RegExp(`^((error|http|fehler|erreur|oops|sorry)[: ]*)?(${wording})[^\\p{L}\\p{N}]*( [|–—·-].*)?$`, 'iu');

/** Titles of error pages: a failure or its status alone, or with the name of the site. */
const FAILURE_HEADLINE = headlineOf(`([45]\\d\\d\\W*)?(${FAILURES.join('|')})|[45]\\d\\d`);
const WEAK_HEADLINE = headlineOf(`([45]\\d\\d\\W*)?(${WEAK_FAILURES})`);
const LATER =
  /\b(back|later|soon|shortly|moment|temporar\w*|currently|apologi\w*|inconvenience|sorry|gleich|bald|später|derzeit|plus tard|bientôt|más tarde|pronto|più tardi|later opnieuw)\b|позже|скоро|しばらく|稍后|나중에/iu;

/** Whether a title, heading or first line says that the content is not there. */
const isFailure = (line: string, text: string): boolean =>
  line.length <= MAX_HEADLINE && (FAILURE_HEADLINE.test(line) || (WEAK_HEADLINE.test(line) && LATER.test(text)));

/** Maximum characters of the title of an error page. */
const MAX_HEADLINE = 100;

/** Maximum letters of a page with only a form, and of a login or error page. */
const MAX_FORM_LETTERS = 100;
const MAX_ERROR_LETTERS = 400;

/** Headings and pieces of code in its sentences, together, that only a page with content has, and pieces of code alone. A table or a block of code is enough. */
const MIN_DETAILS = 3;
const MIN_CODE = 2;
const CODE = /`[^`\n]{1,200}`/g;

/** Extracts the approximate text of a small page. */
const textIn = (html: string): string =>
  html.replace(/<(script|style|head|template)\b(?:(?!<\1\b)[^])*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>/g, ' ');

const PASSWORD = /<input\b[^>]{0,500}\btype\s*=\s*["']?password\b/i;
/** Headlines of login forms. */
const SIGN_IN =
  /\b(?:(?:sign|log)[ -]?(?:in|on)|anmeld\w*|einloggen|connexion|connectez|iniciar sesi[oó]n|acced[ie]\w*|inloggen|logga in|entrar|zaloguj)\b|войти|вход|登录|登入|ログイン|로그인/i;
/** "Not found" in several languages. */
const NOT_FOUND =
  '(?:(?:(?:the|this|that) )?(?:requested )?(?:page|document|article|file) )?(?:(?:was|could) )?not (?:be )?found|' +
  '(?:(?:die )?seite )?(?:wurde )?nicht gefunden|ページが見つかりません(?:でした)?|page (?:introuvable|non trouvée)|p[aá]gina no encontrada';
/** A title that says "not found", perhaps beside the name of the site. */
const NOT_FOUND_TITLE = new RegExp(
  `^(?:(?:oops|sorry)\\W+)?(?:(?:error|fehler|erreur|http)\\W+)?(?:404\\W*(?:${NOT_FOUND})?|${NOT_FOUND})\\W*(?:[|–—·-].*)?$`,
  'iu',
);

/** Scripts of services that ask whether a visitor is human, on no other pages. */
const CHALLENGE =
  /\b_cf_chl_opt\b|\/challenge-platform\/h\/\w\/orchestrate|captcha-delivery\.com|\bpx-captcha\b|\b_Incapsula_Resource\b|\bgokuProps\b/;
/** Pages of services in front of a site, which may be long and have headings: their headline or first words, and words that only they have beside it. */
const WALLS = [
  { begins: /^\W*making sure you.{1,6}re not a bot\b/i, has: /\bAnubis\b/ },
  { begins: /^\W*(?:sorry, you have been blocked|attention required)\b/i, has: /\bCloudflare Ray ID\b/ },
  { begins: /^\W*(?:about this page\W+)?our systems have detected unusual traffic\b/i, has: /\bautomatically detects requests\b/ },
];
/** Maximum letters of such a page. */
const MAX_WALL_LETTERS = 4000;

/** A question about cookies: its element, and its words. */
const CONSENT_ELEMENT =
  /<[^<>]{0,500}(?:\brole\s*=\s*["']?(?:alert)?dialog|\baria-modal\b|\b(?:id|class)\s*=\s*["'][^"'<>]{0,200}(?:cookie|consent|onetrust|didomi|usercentrics|cmp-))/i;
const CONSENT_WORDS = /\bcookies?\b|\bconsent\b|クッキー|файлы cookie/i;
const CONSENT_CHOICE =
  /\b(?:accept|allow|agree|reject|choose|manage|akzeptier\w*|zustimm\w*|ablehn\w*|accept(?:er|ez)|aceptar|accett\w*|toestaan|согла\w*)/i;

/** A page, or a text at a link, as it was sent. */
interface SentPage extends Pick<ParsedDocument, 'text' | 'title'> {
  /** Empty for a text that is no web page. */
  html: Uint8Array;
  /** Response headers with lower-case names. */
  headers?: Readonly<Record<string, string>>;
  /** Whether scripts may still replace what it shows, in a browser. */
  isUnfinished?: boolean;
}

/**
 * Throws a retryable KbError for a page that stands in the place of the one requested, although it has a success status: a failure, a question whether the
 * visitor is human, a request to log in or to accept cookies. All have hardly any text; a longer page, or one with a table or code, is about such things.
 */
export function assertIsContent(source: string, { html: bytes, text, title = '', headers = {}, isUnfinished = false }: SentPage): void {
  if (headers['cf-mitigated'] === 'challenge') throw wallError(source, 'is a question whether the visitor is human');
  const letters = countLetters(text, MAX_WALL_LETTERS);
  if (letters >= MAX_WALL_LETTERS) return;
  const blocks = readBlocks(text);
  const first = text.trimStart().split('\n', 1)[0]!;
  const headlines = [title, blocks[0]?.title ?? '', first].map((line) => line.trim());
  if (WALLS.some(({ begins, has }) => [title, text].some((line) => begins.test(line)) && has.test(text)))
    throw wallError(source, 'is a question whether the visitor is human, or a block');
  if (letters >= MAX_ERROR_LETTERS) return;
  const html = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, MAX_FORM_INSPECTED)).toString('latin1');
  const asks = PASSWORD.test(html);
  const codes = text.match(CODE)?.length ?? 0;
  const isDetailed = blocks.some(({ kind }) => kind === 'table' || kind === 'fence') || codes >= MIN_CODE;
  if (asks && !isDetailed && (letters < MAX_FORM_LETTERS || headlines.some((line) => SIGN_IN.test(line))))
    throw new KbError('unauthorized', `${source} is a login page, not the requested page.`, {
      hint: operatorAdvice`Add the credentials for the site to network.sites (a cookie, a header or basic_auth), or leave the page out.`,
      isRetryable: true,
    });
  if (CHALLENGE.test(html)) throw wallError(source, 'is a question whether the visitor is human');
  if (/^\W*(?:Fatal|Parse) error\W/.test(text)) throw wallError(source, 'says "Fatal error", although it returned a success status');
  if (isDetailed || codes + blocks.filter(({ kind }) => kind === 'heading').length >= MIN_DETAILS) return;
  const missing = headlines.find((line) => line.length <= MAX_HEADLINE && NOT_FOUND_TITLE.test(line));
  if (missing !== undefined)
    throw new KbError('not_found', `${source} says "${missing}", although it returned a success status.`, {
      hint: 'Check the address, or leave the page out.',
      isRetryable: true,
    });
  const failure = headlines.find((line) => isFailure(line, text));
  if (failure !== undefined) throw wallError(source, `says "${failure}", although it returned a success status`);
  const shown = letters === 0 ? textIn(html) : text; // a dialog is no content
  if (!isUnfinished && CONSENT_ELEMENT.test(html) && CONSENT_WORDS.test(shown) && CONSENT_CHOICE.test(shown))
    throw wallError(source, 'shows only a question about cookies (a consent dialog)');
}

const wallError = (source: string, says: string): KbError =>
  new KbError('unavailable', `${source} ${says}.`, {
    hint: ['Try again later, or open it in a browser.', SITE_CREDENTIALS_ADVICE],
    isRetryable: true,
  });
