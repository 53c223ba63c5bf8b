// «When should I use one?» after «What is a partial index?»: «When should I use a partial index?». English: elsewhere a pronoun tells too little.
import { conjunctionIn } from '../../../languages/question.ts';

/** Questions that only ask about a subject: «What is X?», «What does X do in Y?». */
const ABOUT = [
  /^what(?:['’]s| is| are| was| were) (?<thing>[^?,]{2,80})\?*$/iu,
  /^what (?:does|do) (?<thing>[^?,]{2,60}?) (?:do|mean|stand for)(?<where> (?:in|on|for|with|at) [^?,]{2,40})?\?*$/iu,
];

/** Questions about an action: «How do I V?», «Can I V?». */
const DOING =
  /^(?:(?:how|where|when) (?:do|can|could|should|would|may|must) (?:i|we|you|one)|how to|(?:can|could|may|should|must) (?:i|we|you|one)) (?<doing>\p{L}[^?]{2,100})\?*$/iu;

/** The object of an action: «the filter» in «change the filter». */
const OBJECT = /^\p{L}+ (?<thing>(?:an?|the|my|our|your|this|that) [^,]+)/iu;

/** Words before a pronoun that is a subject or refers to nothing: «does it take», «is it possible». */
const BEFORE_A_SUBJECT =
  /^(?:is|are|was|were|does|do|did|can|could|will|would|should|must|may|might|has|have|had|if|when|that|why|how|and|but|or)$/iu;

const POINTING = /(?<![\p{L}\p{N}])(?<before>[\p{L}'’]{1,40} )?(?<word>it|they|them|one|ones)(?![\p{L}\p{N}'’-])/iu;

const DOES_SO = /(?<!\p{L})do (?:that|this|it|so)(?!\p{L})/iu;

/** The antecedent of a pronoun: for a subject the topic of the question before, for an object also the object of its action. */
function antecedentOf(before: string, stem: string): string | undefined {
  const about = ABOUT.map((pattern) => pattern.exec(stem)?.groups).find(Boolean);
  if (about) return `${about.thing}${about.where ?? ''}`;
  const doing = DOING.exec(stem)?.groups?.doing;
  return before !== '' && !BEFORE_A_SUBJECT.test(before) ? OBJECT.exec(doing ?? '')?.groups?.thing : undefined;
}

/** Replaces the pronoun of a question by its antecedent in the question before; undefined if there is none for certain. */
export function resolvePronoun(question: string, stem: string): string | undefined {
  if (conjunctionIn(question)) return undefined;
  const told = stem.trim();
  const doing = DOING.exec(told)?.groups?.doing;
  if (DOES_SO.test(question)) return doing && question.replace(DOES_SO, () => doing);
  const { before = '', word } = POINTING.exec(question)?.groups ?? {};
  if (word === undefined) return undefined;
  const meant = antecedentOf(before.trim(), told);
  if (meant === undefined || (/^ones?$/i.test(word) && /^(?:the|my|our|your|this|that) /i.test(meant))) return undefined;
  return question.replace(POINTING, () => `${before}${meant}`);
}
