import type { ChatResult } from '../src/schema/answers.ts';
import type { HistoryEntry, Source } from '../src/schema/items.ts';

const KEY = 'kb-conversation';
/** Turns that are kept. */
const MOST = 50;

/** A question and what came of it, as the browser keeps it. */
export interface StoredTurn extends Partial<Pick<ChatResult, 'highlight' | 'answer_confidence' | 'intent'>> {
  question: string;
  /** What was asked; several where all were. */
  collection?: string | string[] | undefined;
  answer: string;
  sources: Pick<Source, 'id' | 'title' | 'citation' | 'cited' | 'collection' | 'text' | 'location' | 'metadata'>[];
  /** What failed, in sentences. */
  problems: string[];
  /** Whether the person who asked stopped it. */
  stopped?: boolean;
}

export interface StoredConversation {
  turns: StoredTurn[];
  /** What the next question is sent with. */
  history: HistoryEntry[];
}

/** The conversation that this browser holds; an empty one where there is none, or none that can be read. */
export function restoreConversation(): StoredConversation {
  try {
    const { turns, history } = JSON.parse(localStorage.getItem(KEY)!) as StoredConversation;
    return { turns: [...turns], history: [...history] };
  } catch {
    return { turns: [], history: [] };
  }
}

/** Keeps the latest turns; fewer where the browser has no room for them. */
export function keepConversation({ turns, history }: StoredConversation): void {
  for (let kept = turns.slice(-MOST); ; kept = kept.slice(Math.ceil(kept.length / 2))) {
    try {
      return localStorage.setItem(KEY, JSON.stringify({ turns: kept, history }));
    } catch {
      if (kept.length <= 1) return;
    }
  }
}

export const clearConversation = (): void => localStorage.removeItem(KEY);

/** The turn that a result of the server makes. */
export const turnOf = ({ question, collection }: Pick<StoredTurn, 'question' | 'collection'>, result: ChatResult): StoredTurn => ({
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
