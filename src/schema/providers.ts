import { z } from 'zod';

/** A name that kb knows, or one that the program around it gave to a driver of its own (see `withOwnNames`): any text, to the types. */
type NameOf<Names extends readonly string[]> = Names[number] | (string & {});
type NameSchema<Names extends readonly string[]> = z.ZodType<NameOf<Names>, NameOf<Names>> & { readonly options: string[] };

const names = <const Names extends readonly [string, ...string[]]>(all: Names): NameSchema<Names> =>
  z.enum(all) as unknown as NameSchema<Names>;

const described = <Schema extends z.ZodType>(schema: Schema, meaning: string): Schema => schema.describe(meaning) as Schema;

// Who can be asked. The table of src/drivers/providers.ts tells how each is asked; a test holds the two together.

export const LlmProvider = described(
  names(['local', 'openai', 'anthropic', 'gemini', 'groq', 'mistral', 'deepseek', 'openrouter', 'ollama', 'openai_compatible']),
  'Who answers: local quotes the sentences that answer; the others read their key from the environment (OPENAI_API_KEY …)',
);

export const EmbeddingProvider = described(
  names(['local', 'none', 'openai', 'voyage', 'cohere', 'gemini', 'mistral', 'jina', 'ollama', 'openai_compatible']),
  "Who embeds: local is a bundled model; none searches by words alone; the others read their key from the environment (OPENAI_API_KEY …). Where absent, the collection's own; local for a new one",
);

export const RerankProvider = described(
  names(['local', 'llm', 'cohere', 'jina', 'voyage', 'openai_compatible']),
  'Who reorders: local compares words and meaning, without a model call; llm asks the language model; the others read their key from the environment (COHERE_API_KEY …)',
);

export const VectorDb = described(
  names(['lancedb', 'qdrant']),
  'Vector database: lancedb is embedded, nothing else has to run; qdrant is a server (its key: QDRANT_API_KEY in the environment)',
);
