import { english } from '../../../languages/english.ts';
import type { DirectIntent, Language } from '../../../languages/language.ts';
import { alternatives, LANGUAGES } from '../../../languages/languages.ts';
import { OTHER_FILLERS, OTHER_SMALL_TALK } from '../../../languages/other-languages.ts';

/** Intents by priority: "ok, thanks, bye" is a farewell. */
const INTENTS: DirectIntent[] = ['farewell', 'thanks', 'greeting', 'acknowledgement'];

/** The intent of a message that needs no retrieval, and the reply, in its language if that is in `LANGUAGES`. */
interface DirectReply {
  intent: DirectIntent;
  reply: string;
}

/** Normalizes to lower-case letters, digits and hand signs, without accents and vowel marks, with single spaces. */
const normalizePhrase = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u064b-\u0652\ufe0f'’ʼ`´]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}👍👌🙏👋]+/gu, ' ')
    .trim();

interface Phrase {
  text: string;
  /** Undefined for a filler. */
  intent?: DirectIntent;
  reply?: string;
}

/** All phrases, longest first; built on first use. */
let phrases: Phrase[] | undefined;

const splitPhrases = (list: string): string[] => list.split(/[|\n]/).map(normalizePhrase).filter(Boolean);

const phrasesOf = (saidFor: (intent: DirectIntent) => string, { smallTalk }: Language): Phrase[] =>
  INTENTS.flatMap((intent) => splitPhrases(saidFor(intent)).map((text) => ({ text, intent, reply: smallTalk[intent][1] })));

function allPhrases(): Phrase[] {
  const fillers = () => splitPhrases(alternatives((language) => language.fillers, OTHER_FILLERS)).map((text) => ({ text }));
  const talk = () => LANGUAGES.flatMap((language) => phrasesOf((intent) => language.smallTalk[intent][0], language));
  const others = () => phrasesOf((intent) => OTHER_SMALL_TALK[intent], english);
  phrases ??= [...fillers(), ...talk(), ...others()].toSorted((a, b) => b.text.length - a.text.length);
  return phrases;
}

/** Unspaced scripts, in which a phrase may end anywhere. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}👍👌🙏👋]$/u;

/** The phrases that make up the whole message; undefined if anything else remains. */
function parsePhrases(message: string): Phrase[] | undefined {
  const found: Phrase[] = [];
  let rest = message;
  while (rest) {
    const phrase = allPhrases().find(
      ({ text }) => rest.startsWith(text) && (rest.length === text.length || rest[text.length] === ' ' || UNSPACED.test(text)),
    );
    if (!phrase) return undefined;
    found.push(phrase);
    rest = rest.slice(phrase.text.length).trimStart();
  }
  return found;
}

/** Maximum length of small talk, in characters. */
const MAX_LENGTH = 120;

/** A question mark: only a greeting may have one ("How are you?"); "ok?" needs an answer. */
const ASKING = /[?？؟]/;

const ONLY_PICTURES =
  /^(?=\P{Extended_Pictographic}*\p{Extended_Pictographic})[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d\s!.]*$/u;

/** The words as written, and with repeated letters ("hellooo", "gooood") reduced to one and to two. */
const readings = (words: string): string[] => [words, words.replace(/(\p{L})\1{2,}/gu, '$1'), words.replace(/(\p{L})\1{2,}/gu, '$1$1')];

function phrasesIn(message: string): Phrase[] {
  const words = normalizePhrase(message);
  if (words === '' && ONLY_PICTURES.test(message))
    return [{ text: message, intent: 'acknowledgement', reply: english.smallTalk.acknowledgement[1] }];
  return (
    readings(words)
      .map((reading) => parsePhrases(reading))
      .find((found) => found?.some(({ intent }) => intent)) ?? []
  );
}

/** Polite words beside a question, as `normalizePhrase` writes them. */
const POLITE_WORDS = ['please', 'bitte', 'por favor', 'sil vous plait', 'sil te plait'];

/** Removes a phrase of small talk from the beginning of a message, else from its end; undefined if there is none. */
function withoutPhrase(words: string): string | undefined {
  const around = [...allPhrases().map(({ text }) => text), ...POLITE_WORDS];
  const first = around.find((text) => words.startsWith(`${text} `));
  if (first !== undefined) return words.slice(first.length + 1);
  const last = around.find((text) => words.endsWith(` ${text}`));
  return last === undefined ? undefined : words.slice(0, -last.length - 1);
}

const sourceQuestions = LANGUAGES.map((language) => ({ language, pattern: new RegExp(`^(?:${language.sourceList.asked})$`, 'u') }));

/** The language of a message that only asks which documents are stored ("What documents do you have?"); undefined for any other message. */
export function asksForSources(message: string): Language | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  for (let words: string | undefined = normalizePhrase(message); words !== undefined; words = withoutPhrase(words)) {
    const asked = words;
    const question = sourceQuestions.find(({ pattern }) => pattern.test(asked));
    if (question) return question.language;
  }
  return undefined;
}

/** The reply to a message that is nothing but small talk, in any of some thirty languages; undefined for any other message. */
export function directReply(message: string): DirectReply | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const found = phrasesIn(message);
  const intent = INTENTS.find((candidate) => found.some((phrase) => phrase.intent === candidate));
  if (!intent || (intent !== 'greeting' && ASKING.test(message))) return undefined;
  return { intent, reply: found.find((phrase) => phrase.intent === intent)!.reply! };
}
