import type { ChatResult } from '../src/schema/answers.ts';
import type { HistoryEntry, Source } from '../src/schema/items.ts';

const KEY = 'kb-conversation';
/** Maximum turns that are stored. */
const MAX_TURNS = 50;

/** A question with its answer, as the browser stores it. */
export interface StoredTurn extends Partial<Pick<ChatResult, 'highlight' | 'answer_confidence' | 'intent'>> {
  question: string;
  /** The collection that was searched, or all that were. */
  collection?: string | string[] | undefined;
  answer: string;
  sources: Pick<Source, 'id' | 'title' | 'citation' | 'cited' | 'collection' | 'text' | 'location' | 'metadata'>[];
  /** Error messages of the turn. */
  problems: string[];
  /** Whether the user stopped it. */
  stopped?: boolean;
}

/** The conversation as the browser stores it. */
export interface StoredConversation {
  turns: StoredTurn[];
  /** Sent with the next question. */
  history: HistoryEntry[];
}

/** Reads the stored conversation; an empty one if there is none, or none that can be parsed. */
export function restoreConversation(): StoredConversation {
  try {
    const { turns, history } = JSON.parse(localStorage.getItem(KEY)!) as StoredConversation;
    return { turns: [...turns], history: [...history] };
  } catch {
    return { turns: [], history: [] };
  }
}

/** Stores the latest turns; fewer if the browser's storage is full. */
export function storeTurns({ turns, history }: StoredConversation): void {
  for (let kept = turns.slice(-MAX_TURNS); ; kept = kept.slice(Math.ceil(kept.length / 2))) {
    try {
      return localStorage.setItem(KEY, JSON.stringify({ turns: kept, history }));
    } catch {
      if (kept.length <= 1) return;
    }
  }
}

/** Removes the stored conversation. */
export const clearConversation = (): void => localStorage.removeItem(KEY);

/** Converts a result of the server to a turn to store. */
export const toStoredTurn = ({ question, collection }: Pick<StoredTurn, 'question' | 'collection'>, result: ChatResult): StoredTurn => ({
  question,
  collection,
  answer: result.answer,
  sources: result.sources.map(({ id, title, citation, cited, collection: own, text, location, metadata }) => ({
    id,
    title,
    citation,
    cited,
    ...(own === undefined ? {} : { collection: own }),
    text,
    location,
    metadata: { source: metadata.source },
  })),
  ...(result.highlight === undefined ? {} : { highlight: result.highlight }),
  answer_confidence: result.answer_confidence,
  intent: result.intent,
  problems: result.errors.map(({ error }) => error),
});

/** The confidence of an answer in words; undefined if that does not apply: a greeting, a failure. */
export interface ConfidenceNote {
  level: 'high' | 'low' | 'none';
  text: string;
}

const LOW_CONFIDENCE: Partial<Record<string, string>> = {
  answer_uncertain: 'the passages are about this, but may not answer it, or not all of it. Open the sources before you rely on it.',
  citations_unsupported: 'not every sentence is supported by a source. Open the sources before you rely on it.',
};
const WEAK_MATCHES = 'only weak matches were found. Open the sources before you rely on it.';

/** Makes the note on the confidence of an answer. */
export function confidenceNote({
  answer_confidence,
  intent,
  problems,
}: Pick<StoredTurn, 'answer_confidence' | 'intent' | 'problems'>): ConfidenceNote | undefined {
  if (!answer_confidence || intent !== 'rag') return undefined;
  const { level, reason, probability } = answer_confidence;
  if (reason === 'errors' || (level === 'none' && problems.length > 0)) return undefined;
  const accuracy = probability === undefined ? '' : ` About ${Math.round(probability * 100)} in 100 such answers are right.`;
  if (level === 'high') return { level, text: `Found in the sources.${accuracy}` };
  if (level === 'low') return { level, text: `Low confidence: ${LOW_CONFIDENCE[reason] ?? WEAK_MATCHES}${accuracy}` };
  return { level, text: 'Not answered. Where a passage below comes close, ask again in its words.' };
}
