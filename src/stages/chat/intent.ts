import type { Intent } from '../../schema/answers.ts';
import { EAST } from './small-talk-east.ts';
import { WEST } from './small-talk-west.ts';
import { FILLERS, type DirectIntent, type SmallTalk } from './small-talk.ts';

const SMALL_TALK: Record<string, SmallTalk> = { ...WEST, ...EAST };

/** What counts first where a message is several things at once: "ok, thanks, bye" is a farewell. */
const INTENTS: DirectIntent[] = ['farewell', 'thanks', 'greeting', 'acknowledgement'];

/** A message that needs no retrieval, and what to say to it in its own language. */
export interface DirectReply {
  intent: Exclude<Intent, 'rag'>;
  reply: string;
}

/** Letters, digits and the few signs that speak for themselves; in lower case, without accents and vowel marks, one blank between words. */
const normalized = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u064b-\u0652'’ʼ`´]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}👍👌🙏👋]+/gu, ' ')
    .trim();

interface Phrase {
  text: string;
  /** Undefined for a filler. */
  intent?: DirectIntent;
  language?: string;
}

/** Every known phrase, longest first. Made at the first message. */
let phrases: Phrase[] | undefined;

const splitPhrases = (list: string): string[] => list.split('|').map(normalized);

const phrasesOf = (language: string, talk: SmallTalk): Phrase[] =>
  INTENTS.flatMap((intent) => splitPhrases(talk[intent][0]).map((text) => ({ text, intent, language })));

function allPhrases(): Phrase[] {
  const fillers = () => splitPhrases(FILLERS).map((text) => ({ text }));
  const talk = () => Object.entries(SMALL_TALK).flatMap(([language, said]) => phrasesOf(language, said));
  phrases ??= [...fillers(), ...talk()].toSorted((a, b) => b.text.length - a.text.length);
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

/** The direct intent of a message that is small talk as a whole, in any of some twenty languages; undefined for everything else. */
export function directReply(message: string): DirectReply | undefined {
  if (message.length > LONGEST) return undefined;
  const found = consumed(normalized(message)) ?? [];
  const intent = INTENTS.find((candidate) => found.some((phrase) => phrase.intent === candidate));
  if (!intent) return undefined;
  const { language } = found.find((phrase) => phrase.intent === intent)!;
  return { intent, reply: SMALL_TALK[language!]![intent][1] };
}
