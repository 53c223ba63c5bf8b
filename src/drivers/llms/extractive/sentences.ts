/** An end that is none: a title, an initial, a common abbreviation. */
const ABBREVIATED =
  /(?:^|[\s("«“])(?:\p{Lu}|(?:\p{L}\.)+\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Sr|Rev|Gen|Col|Capt|Lt|Sgt|Gov|Sen|Rep|Hon|vs|etc|ca|cf|approx|No|Nr|Fig|Figs|Abb|Eq|Sec|Ch|Vol|pp|p|ed|eds|al|Inc|Ltd|Co|Corp|e\.g|i\.e|z\.B|d\.h|u\.a|bzw|usw|Bd|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\.\s*$/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The sentences of a paragraph, trimmed. What Unicode's rules cut at an abbreviation, or before a small letter, is put together again. */
export function sentencesOf(paragraph: string): string[] {
  const sentences: string[][] = [];
  for (const { segment } of segmenter.segment(paragraph)) {
    const last = sentences.at(-1);
    if (last && (ABBREVIATED.test(last.at(-1)!) || /^[\p{Ll},;)\]]/u.test(segment))) last.push(segment);
    else sentences.push([segment]);
  }
  return sentences.map((parts) => parts.join('').trim()).filter((sentence) => sentence !== '');
}
