import { isAbort } from '../../../core/errors.ts';
import type { GenerateRequest } from '../../../ports/models.ts';
import type { ComparisonOptions } from '../../../text/comparison.ts';
import { CITATIONS } from '../../../text/model-output.ts';
import { sentencesOf } from '../../../text/sentences.ts';
import { ownTerms, terms } from '../../../text/terms.ts';
import { chooseQuotations } from '../../quote/choose-quotations.ts';

/**
 * Minimum share of the words of a sentence, beside those of the question, in what kb would quote, and how many words it has at least. Of 12 answers of a model
 * with 0.5 billion parameters, 3 of 5 wrong ones that the sources supported agreed less, and no right one.
 */
const MIN_SHARED = 0.5;
const MIN_WORDS = 2;

/** What kb would quote; by words alone if the embedder fails. */
async function quotationsFor({ query, sources }: GenerateRequest['grounding'], { embedder, signal }: ComparisonOptions) {
  try {
    return (await chooseQuotations(query, { sources, embedder, signal })).quotations;
  } catch (error) {
    if (isAbort(error) || !embedder) throw error;
    return (await chooseQuotations(query, { sources, signal })).quotations;
  }
}

/** Whether a sentence of an answer says what kb would quote for the question: sources also support true sentences that answer another question. */
export async function agreesWithQuotation(
  answer: string,
  grounding: GenerateRequest['grounding'],
  meaning: ComparisonOptions,
): Promise<boolean> {
  const { query } = grounding;
  const quotations = await quotationsFor(grounding, meaning);
  const quoted = new Set(terms(quotations.map(({ path, text }) => `${path}\n${text}`).join('\n')));
  const asked = new Set(terms(query));
  const sentences = answer.replace(CITATIONS, ' ').split('\n').flatMap(sentencesOf);
  return sentences.some((sentence) => {
    const addedTerms = [...new Set(ownTerms(sentence))].filter((term) => !asked.has(term));
    return addedTerms.length >= MIN_WORDS && addedTerms.filter((term) => quoted.has(term)).length >= MIN_SHARED * addedTerms.length;
  });
}
