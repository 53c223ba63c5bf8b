import type { FastifyReply, FastifyRequest } from 'fastify';
import { KbError } from '../../core/errors.ts';
import { parseRequest } from '../../core/parse-request.ts';
import { EmbeddingsRequest } from '../../schema/openai/openai-requests.ts';
import type { ResultOf } from '../../schema/operations.ts';
import { estimateTokens } from '../../stages/chat/budget.ts';
import { type RouteContext, runOperation } from '../perform.ts';

const ROUTE = { operation: 'embed', queue: 'search' } as const;

interface EmbeddingsCall {
  request: FastifyRequest;
  reply: FastifyReply;
  bench: RouteContext;
  /** The name of the configured embedding model; empty where there is none. */
  embeddingModel(): Promise<string>;
}

/** Answers POST /v1/embeddings. */
export async function createEmbeddings({ request, reply, bench, embeddingModel }: EmbeddingsCall): Promise<object> {
  const { model, input, encoding_format = 'float' } = parseRequest(EmbeddingsRequest, request.body);
  const configured = await embeddingModel();
  if (model !== configured)
    throw new KbError('not_found', `The embedding model «${model.slice(0, 100)}» does not exist here.`, {
      hint: configured ? `This server has ${configured}.` : 'This server has none: its collections are searched by keyword only.',
    });
  const texts = [input].flat();
  const given = { chunks: texts.map((text, i) => ({ id: String(i), text })) };
  const { items, errors } = (await runOperation(ROUTE, { request, reply, given }, bench)) as unknown as ResultOf<'embed'>;
  const [failed] = errors;
  if (failed)
    throw new KbError(failed.isRetryable ? 'unavailable' : 'usage', `input: ${failed.error}`, { isRetryable: failed.isRetryable });
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  const write = (vector: number[]) =>
    encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
  const data = items.map(({ embedding = [] }, index) => ({ object: 'embedding', index, embedding: write(embedding) }));
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}
