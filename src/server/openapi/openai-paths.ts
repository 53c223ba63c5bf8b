import type { z } from 'zod';
import { CompletionRequest, EmbeddingsRequest, OpenAiError } from '../../schema/openai/openai-requests.ts';
import type { Components, JsonSchema } from './components.ts';
import type { OperationObject, Parameter } from './operation-objects.ts';
import { json, type Responses } from './responses.ts';

const OBJECT: JsonSchema = { type: 'object', description: "As OpenAI's API answers" };
const STATUSES = [400, 401, 403, 404, 413, 415, 424, 429, 500, 503];

const MODEL: Parameter = { name: 'model', in: 'path', required: true, description: 'A collection, or kb', schema: { type: 'string' } };

/** The paths in OpenAI's shape. Its own documentation says what they answer with. */
export function openAiPaths(components: Components): Record<string, Record<string, OperationObject>> {
  const failure = {
    description: "An error in OpenAI's shape",
    content: { 'application/json': { schema: components.of(OpenAiError, 'output') } },
  };
  const responses: Responses = {
    200: { description: 'The answer', content: { 'application/json': { schema: OBJECT } } },
    ...Object.fromEntries(STATUSES.map((status) => [status, failure])),
  };
  const row = (operationId: string, summary: string, request?: z.ZodType): OperationObject => ({
    operationId,
    tags: ['OpenAI'],
    summary,
    ...(request ? { requestBody: { required: true, content: json(components.of(request, 'input'), components) } } : {}),
    responses,
    security: [{}, { bearer: ['read'] }],
  });
  return {
    '/v1/chat/completions': {
      post: row('create_completion', 'Answer the last message of a conversation from a collection', CompletionRequest),
    },
    '/v1/embeddings': { post: row('create_embeddings', 'Embed texts with the configured model', EmbeddingsRequest) },
    '/v1/models': { get: row('list_models', 'List the collections as models') },
    '/v1/models/{model}': { get: { ...row('show_model', 'Show a collection as a model'), parameters: [MODEL] } },
  };
}
