import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../core/project.ts';

const LETTERS = /\p{L}/gu;

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Computes the share of a text's letters that `letters` (with the flag g) matches, 0 to 1; 1 without letters. */
function shareOfLetters(text: string, letters: RegExp): number {
  const all = countMatches(text, LETTERS);
  return all === 0 ? 1 : countMatches(text, letters) / all;
}

/** Figures of a bundled model, to run it and to interpret its cosines. */
interface LocalModel {
  /** npm package of the model, if it is too large for the package of kb. */
  package?: string;
  dimensions: number;
  /** Maximum tokens of an input, with the begin and end tokens: the length that it was trained with (its model card). */
  window: number;
  /** Prefixes of texts, by their use. */
  prefixes: Readonly<Record<'document' | 'query', string>>;
  /** Whether a token continues the word of the token before it. */
  continuesWord(token: string): boolean;
  /** Minimum score (0 to 1) of a passage that is about the query. */
  min_retrieval_score: number;
  /** Typical cosines of unrelated texts, and of texts with the same meaning. */
  cosine_range: readonly [unrelated: number, alike: number];
  /** The same for texts in two languages, if it compares those. */
  cosine_range_across_languages?: readonly [unrelated: number, alike: number];
  /** Weight of its vectors in hybrid search, 0 to 1. */
  vector_weight: number;
  /** Share of a text that it can read, 0 to 1. */
  coverage(text: string): number;
  /** Set if it compares the meaning of English only: the model to use for other languages, and which ones that covers. */
  english_only?: { other_model: LocalModelName; reads: string };
}

/** Names of the bundled models, as in `embedding.model`. */
export type LocalModelName = 'all-minilm-l6-v2' | 'multilingual-e5-small';

/** The default embedding model. */
export const DEFAULT_LOCAL_MODEL: LocalModelName = 'all-minilm-l6-v2';

/** The embedding model for other languages than English. */
export const MULTILINGUAL_MODEL: LocalModelName = 'multilingual-e5-small';

/** Scripts for which the vocabulary of the multilingual model has little more than single letters. */
const UNSUPPORTED_SCRIPTS =
  /(?=\p{L})[\p{Script=Georgian}\p{Script=Armenian}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Ethiopic}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Oriya}\p{Script=Sinhala}]/gu;

/** The bundled models, each in the folder of its name in `models/`; the NOTICE there says how it was made. */
export const localModels: Readonly<Record<LocalModelName, LocalModel>> = {
  'all-minilm-l6-v2': {
    dimensions: 384,
    window: 256,
    prefixes: { document: '', query: '' },
    continuesWord: (token) => token.startsWith('##'),
    /**
     * One threshold for every search mode, tuned together with the refusals of the extractive answerer (`bench/answers.ts`) on every other question. On the
     * held-out rest, 2.1% (vectors alone 2.7%, words alone 1.9%) of the questions that SQuAD 2.0 (development set) answers fall below it, as do 84% (82%,
     * 82%) of the questions on other subjects (HotpotQA, NFCorpus).
     */
    min_retrieval_score: 0.33,
    cosine_range: [0, 1],
    vector_weight: 0.5,
    /**
     * Letters of the Latin script; the tokenizer removes accents. The language does not matter: the model is English, but on German,
     * Spanish, Romanian, Vietnamese and Turkish questions its full weight in fusion costs at most 0.013 nDCG@10 against the best weight.
     * Another script costs up to half of it.
     */
    coverage: (text) => shareOfLetters(text, /\p{Script=Latin}/gu),
    english_only: { other_model: MULTILINGUAL_MODEL, reads: 'about 45 languages' },
  },
  'multilingual-e5-small': {
    package: 'citekb-multilingual-e5-small',
    dimensions: 384,
    window: 512,
    prefixes: { document: 'passage: ', query: 'query: ' },
    continuesWord: (token) => !token.startsWith('▁'),
    /**
     * Measured with SQuAD 2.0, XQuAD (English) and HotpotQA. 2% of the questions over their own passages fall below it, and so do 88% of the questions of
     * these sets and NFCorpus over the passages of another set (area under the curve .991).
     */
    min_retrieval_score: 0.38,
    cosine_range: [0.74, 0.95],
    /**
     * With these, 5% of XQuAD's German questions over its English passages fall below the threshold (15% for eleven languages), as do 35% of those over
     * HotpotQA's passages.
     */
    cosine_range_across_languages: [0.72, 0.88],
    /**
     * With .5 nDCG@10 is .795 for questions in eleven languages over English pages (XQuAD), .970 for German ones over German pages, .486 over pages in twelve
     * languages, .923 for SQuAD; with .6 .832, .990, .512, .921; with .7 .836, 1, .529, .920, and a little less on other English sets.
     */
    vector_weight: 0.6,
    coverage: (text) => 1 - (/\p{L}/u.test(text) ? shareOfLetters(text, UNSUPPORTED_SCRIPTS) : 0),
  },
};

/** Whether a name is that of a bundled model. */
export const isLocalModel = (name: string): name is LocalModelName => Object.hasOwn(localModels, name);

/**
 * Finds the folder of a model with `model.onnx`, `tokenizer.json` and `tokenizer_config.json`: in `models/`, or in its npm package, which is resolved like a
 * dependency of kb. Returns the folder in `models/` if the package is not installed.
 */
export function modelFolder(name: LocalModelName, root = packageRoot): string {
  const own = join(root, 'models', name);
  const { package: packageName } = localModels[name];
  if (packageName === undefined || existsSync(join(own, 'model.onnx'))) return own;
  try {
    return dirname(createRequire(join(root, 'package.json')).resolve(`${packageName}/package.json`));
  } catch {
    return own;
  }
}
