import type { Intent } from '../../../schema/answers.ts';
import { english } from '../../../languages/english.ts';
import type { DirectIntent, Language } from '../../../languages/language.ts';
import { alternatives, LANGUAGES } from '../../../languages/languages.ts';
import { OTHER_FILLERS, OTHER_SMALL_TALK } from '../../../languages/other-small-talk.ts';

/** What counts first where a message is several things at once: "ok, thanks, bye" is a farewell. */
const INTENTS: DirectIntent[] = ['farewell', 'thanks', 'greeting', 'acknowledgement'];

/** A message that needs no retrieval, and what to say to it: in its language, where that is one of `LANGUAGES`. */
interface DirectReply {
  intent: Exclude<Intent, 'rag'>;
  reply: string;
}

/** Letters, digits and the few signs that speak for themselves; in lower case, without accents and vowel marks, one blank between words. */
const normalized = (text: string): string =>
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

/** Every known phrase, longest first. Made at the first message. */
let phrases: Phrase[] | undefined;

const splitPhrases = (list: string): string[] => list.split(/[|\n]/).map(normalized).filter(Boolean);

const phrasesOf = (saidFor: (intent: DirectIntent) => string, { smallTalk }: Language): Phrase[] =>
  INTENTS.flatMap((intent) => splitPhrases(saidFor(intent)).map((text) => ({ text, intent, reply: smallTalk[intent][1] })));

function allPhrases(): Phrase[] {
  const fillers = () => splitPhrases(alternatives((language) => language.fillers, OTHER_FILLERS)).map((text) => ({ text }));
  const talk = () => LANGUAGES.flatMap((language) => phrasesOf((intent) => language.smallTalk[intent][0], language));
  const others = () => phrasesOf((intent) => OTHER_SMALL_TALK[intent], english);
  phrases ??= [...fillers(), ...talk(), ...others()].toSorted((a, b) => b.text.length - a.text.length);
  return phrases;
}

/** Scripts that put no blanks between words: a phrase may end anywhere. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}👍👌🙏👋]$/u;

/** The phrases that the message is made of; undefined where it says anything else. */
function consumed(message: string): Phrase[] | undefined {
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

/** Longest message that is looked at; small talk is short. */
const LONGEST = 120;

/** A greeting may be asked ("How are you?"); "ok?" and "that is it?" want an answer. */
const ASKING = /[?？؟]/;

/** Nothing but faces, hearts and thumbs. */
const ONLY_PICTURES =
  /^(?=\P{Extended_Pictographic}*\p{Extended_Pictographic})[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\u200d\s!.]*$/u;

/** The words as they are, and where letters are drawn out ("hellooo", "gooood") with one and with two of them. */
const readings = (words: string): string[] => [words, words.replace(/(\p{L})\1{2,}/gu, '$1'), words.replace(/(\p{L})\1{2,}/gu, '$1$1')];

/** What the message is made of, where that is small talk. */
function understood(message: string): Phrase[] {
  const words = normalized(message);
  if (words === '' && ONLY_PICTURES.test(message))
    return [{ text: message, intent: 'acknowledgement', reply: english.smallTalk.acknowledgement[1] }];
  return (
    readings(words)
      .map((reading) => consumed(reading))
      .find((found) => found?.some(({ intent }) => intent)) ?? []
  );
}

/** The direct intent of a message that is small talk as a whole, in any of some thirty languages; undefined for everything else. */
export function directReply(message: string): DirectReply | undefined {
  if (message.length > LONGEST) return undefined;
  const found = understood(message);
  const intent = INTENTS.find((candidate) => found.some((phrase) => phrase.intent === candidate));
  if (!intent || (intent !== 'greeting' && ASKING.test(message))) return undefined;
  return { intent, reply: found.find((phrase) => phrase.intent === intent)!.reply! };
}
