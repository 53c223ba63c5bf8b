import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { didYouMean } from '../../core/nearest.ts';
import { KbError } from '../../core/errors.ts';
import { type AccessRights, mayUse } from '../../core/access-rights.ts';
import type { Engine } from '../../ports/engines.ts';
import { type RouteContext, runOperation } from '../perform.ts';
import { answerCompletion, CONFIGURED_MODEL } from './completions.ts';
import { parseRequest } from '../../core/parse-request.ts';
import { EmbeddingsRequest } from '../../schema/openai/openai-requests.ts';
import type { ResultOf } from '../../schema/operations.ts';
import { estimateTokens } from '../../stages/chat/budget.ts';

type OpenAiEngine = Pick<Engine, 'config' | 'collections' | 'embeddingModel'>;

/** The paths that OpenAI's clients know, with errors in its shape: collections are models. */
export function registerOpenAi(server: FastifyInstance, engine: OpenAiEngine, bench: RouteContext): void {
  const created = Math.floor(Date.now() / 1000);
  const options = { config: { needs: 'read' } } as const;
  const modelOf = (id: string) => ({ id, object: 'model', created, owned_by: 'kb' });
  server.post('/v1/chat/completions', options, (request, reply) =>
    answerCompletion({ request, reply, bench, collectionOf: (model) => collectionOf(model, engine, request.access) }),
  );
  server.post('/v1/embeddings', options, (request, reply) =>
    createEmbeddings({ request, reply, bench, embeddingModel: () => engine.embeddingModel() }),
  );
  server.get('/v1/models', options, async ({ access }) => ({ object: 'list', data: (await models(engine, access)).map(modelOf) }));
  server.get<{ Params: { model: string } }>('/v1/models/:model', options, async ({ params, access }) => {
    const { model } = params;
    const names = await models(engine, access);
    if (!names.includes(model)) throw noModel(model, names);
    return modelOf(model);
  });
}

/** The names under which the caller may ask. */
async function models(engine: OpenAiEngine, access: AccessRights | undefined): Promise<string[]> {
  const names = await engine.collections({ access });
  return [...(mayUse(access, engine.config.collection) ? [CONFIGURED_MODEL] : []), ...names.filter((name) => name !== CONFIGURED_MODEL)];
}

async function collectionOf(model: string, engine: OpenAiEngine, access: AccessRights | undefined): Promise<string> {
  const name = model === CONFIGURED_MODEL ? engine.config.collection : model;
  const names = await engine.collections({ access });
  if (names.includes(name)) return name;
  throw noModel(name, names);
}

function noModel(name: string, there: readonly string[]): KbError {
  return new KbError(
    'not_found',
    `The model «${name.slice(0, 100)}» does not exist here: a model is a collection, or ${CONFIGURED_MODEL}.`,
    {
      hint: didYouMean(name, there) ?? 'GET /v1/models lists them.',
    },
  );
}

const ROUTE = { operation: 'embed', queue: 'search' } as const;

interface EmbeddingsCall {
  request: FastifyRequest;
  reply: FastifyReply;
  bench: RouteContext;
  /** The name of the configured embedding model; empty where there is none. */
  embeddingModel(): Promise<string>;
}

async function createEmbeddings({ request, reply, bench, embeddingModel }: EmbeddingsCall): Promise<object> {
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
