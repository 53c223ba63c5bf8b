import type { Passage } from './passages.ts';

const words = (pattern: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${pattern})(?![\p{L}\p{N}])`, 'iu');

/** Questions for a reason that say nothing else, in the languages of the rewriting. */
const ASKS_WHY = new RegExp(
  `${words('why|how come|warum|wieso|weshalb|pourquoi|por qué|perché|por que|porquê|waarom|почему|зачем|dlaczego|varför|hvorfor|miksi|neden|niçin').source}|为什么|为何|為什麼|なぜ|どうして|왜`,
  'iu',
);

/** Words that give a reason or an aim. «since» and «so» do so only where no time and no degree follows. */
const GIVES_REASON = new RegExp(
  `${
    words(
      "because|since(?= (?:the|this|that|these|those|it|its|they|there|we|you|your|our|a|an|no|each|every|any|all|only|otherwise)(?![\\p{L}])(?! (?:start|beginning|end|last|first)))|so that|in order to|due to|owing to|as a result|therefore|which is why|that is why|the reason|otherwise|to (?:avoid|prevent|protect|keep)|weil|damit|denn|deshalb|daher|deswegen|sonst|andernfalls|aufgrund|wegen|um zu|parce qu['’e]\\p{L}*|puisqu['’e]\\p{L}*|afin|à cause|en raison|sinon|pour éviter|porque|ya que|debido|para que|por eso|para evitar|perché|poiché|a causa|affinché|per evitare|pois|por isso|omdat|zodat|vanwege|daarom|anders|потому|чтобы|поэтому|из-за|ponieważ|aby|eftersom|därför|fordi|derfor|koska|çünkü",
    ).source
  }|因为|因為|由于|由於|以便|以免|所以|ため|ので|때문|위해`,
  'iu',
);

/** Passages between a quotation and its reason, at most, where one follows the other in the same source. */
const NEAR = 2;

/** Whether a question asks why. */
export const asksWhy = (question: string): boolean => ASKS_WHY.test(question);

/** The passages that give a reason beside those that were quoted (`isSaid`), and were not quoted themselves. */
export function reasonsBeside(passages: readonly Passage[], isSaid: (passage: Passage) => boolean): Set<Passage> {
  const said = passages.filter(isSaid);
  const isBeside = ({ source, at }: Passage) => said.some((other) => other.source === source && Math.abs(other.at - at) <= NEAR);
  return new Set(passages.filter((passage) => !isSaid(passage) && GIVES_REASON.test(passage.text) && isBeside(passage)));
}
