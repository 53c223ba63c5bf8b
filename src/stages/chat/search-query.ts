import { isRefusal } from './refusal.ts';

/** What models write before a query, though they are told not to: «The rewritten question is:». English, German, French, Spanish. */
const LABEL =
  /^[*_#>\s-]*(?:here(?: is|['’]s) )?(?:(?:the|your|a|rewritten|rephrased|reformulated|stand-?alone|search|final|new) )*(?:query|question|suchanfrage|anfrage|requête|consulta)(?: (?:is|would be|could be))?[*_]*\s?[:：][*_]*\s*/iu;

/** How a line begins that talks about the query. */
const REMARK = /^[*_(\s]*(?:explanation|note|reason(?:ing)?|rationale|this (?:query|question)|erklärung|hinweis|remarque|nota)(?!\p{L})/iu;

const FENCE = /^\s*(?:```|~~~)/;

/** How a model says that it will not. */
const SORRY =
  /^(?:(?:i['’]m|i am) (?:so |very )?sorry|sorry,|i apologi[sz]e|i (?:can(?:no|['’])t|am unable to) (?:help|assist|answer|provide|rewrite|rephrase|comply|do|fulfil)|as an ai|es tut mir leid|je suis désolé|lo siento)(?!\p{L})/iu;

const SAYS = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** The first paragraph that says something, in one line: without labels and fences, up to a remark about it. */
function firstOf(reply: string): string {
  const found: string[] = [];
  for (const line of reply.split('\n')) {
    const text = FENCE.test(line) ? '' : line.replace(LABEL, '').trim();
    if (found.length > 0 && (text === '' || REMARK.test(text))) break;
    if (text !== '') found.push(text);
  }
  return found.join(' ').replace(/\s+/g, ' ');
}

/** A line without the marks around it; marks of which it holds more belong to its words: `__init__ and __main__`. */
function withoutMarks(line: string): string {
  const [opening] = /^["'«“„`*_]+/u.exec(line) ?? [''];
  const rest = line.slice(opening.length);
  const [closing] = /(?<!["'»”“`*_])["'»”“`*_]+$/u.exec(rest) ?? [''];
  if (!opening || !closing) return line;
  const inside = rest.slice(0, -closing.length);
  return [...opening, ...closing].some((mark) => inside.includes(mark)) ? line : inside.trim();
}

/** The search query in what a model wrote, without marks around it; undefined where there is none: nothing but marks, or that it can't or will not write one. */
export function searchQueryIn(reply: string, question: string): string | undefined {
  const bare = withoutMarks(firstOf(reply));
  const isExcuse = SORRY.test(bare) && !/[?？]$/.test(bare);
  return !SAYS.test(bare) || isExcuse || isRefusal(bare, question) ? undefined : bare;
}
