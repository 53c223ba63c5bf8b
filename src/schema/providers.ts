import { z } from 'zod';

// Who can be asked. The table of src/drivers/providers.ts tells how each is asked; a test holds the two together.

export const LlmProvider = z
  .enum(['local', 'openai', 'anthropic', 'gemini', 'groq', 'mistral', 'deepseek', 'openrouter', 'ollama', 'openai_compatible'])
  .describe('Who answers: local quotes the sentences that answer; the others read their key from the environment (OPENAI_API_KEY …)');

export const EmbeddingProvider = z
  .enum(['local', 'none', 'openai', 'voyage', 'cohere', 'gemini', 'mistral', 'jina', 'ollama', 'openai_compatible'])
  .describe(
    'Who embeds: local is the bundled model; none searches by words alone; the others read their key from the environment (OPENAI_API_KEY …)',
  );

export const RerankProvider = z
  .enum(['local', 'llm', 'cohere', 'jina', 'voyage', 'openai_compatible'])
  .describe(
    'Who reorders: local compares words and meaning, without a model call; llm asks the language model; the others read their key from the environment (COHERE_API_KEY …)',
  );
