import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { didYouMean } from '../core/nearest.ts';
import { KbError } from '../core/errors.ts';
import { type AccessRights, mayUse } from '../core/access-rights.ts';
import { requestWording } from '../core/advice/wordings.ts';
import type { Engine } from '../ports/engines.ts';
import { sendResult } from './json-result.ts';
import { type RouteContext, runToJson, streamOperation } from './operation-routes.ts';
import { parseRequest } from '../core/parse-request.ts';
import { EmbeddingsRequest, CompletionRequest } from '../schema/http-bodies.ts';
import type { ResultOf, RequestOf } from '../schema/operations.ts';
import { estimateTokens } from '../stages/chat/budget.ts';
import { newestMessages } from '../stages/chat/dialogue/history.ts';
import { withHeartbeat, yieldToEventLoop } from '../core/concurrency.ts';
import { decodeTokens } from './input-tokens.ts';
import type { ChatResult } from '../schema/answers.ts';
import type { Event } from '../schema/results.ts';
import { openAiError, makeFailure } from './envelope.ts';
import { HEARTBEAT } from './event-stream.ts';
import type { Source } from '../schema/items.ts';
import { CITATIONS, numbersCited } from '../text/model-output.ts';
import { firstSentenceStart } from '../text/sentences.ts';

type OpenAiEngine = Pick<Engine, 'config' | 'collections' | 'embeddingModel'>;

/** Registers the paths of OpenAI's API, with errors in its shape; collections are models. */
export function registerOpenAi(server: FastifyInstance, engine: OpenAiEngine, context: RouteContext): void {
  const created = Math.floor(Date.now() / 1000);
  const options = { config: { needs: 'read' } } as const;
  const modelOf = (id: string) => ({ id, object: 'model', created, owned_by: 'kb' });
  server.post('/v1/chat/completions', options, (request, reply) =>
    answerCompletion({ request, reply, context, collectionOf: (model) => collectionNamed(model, engine, request.access) }),
  );
  server.post('/v1/embeddings', options, (request, reply) =>
    createEmbeddings({ request, reply, context, embeddingModel: () => engine.embeddingModel() }),
  );
  server.get('/v1/models', options, async ({ access }) => ({ object: 'list', data: (await models(engine, access)).map(modelOf) }));
  server.get<{ Params: { model: string } }>('/v1/models/:model', options, async ({ params, access }) => {
    const { model } = params;
    const names = await models(engine, access);
    if (!names.includes(model)) throw modelNotFound(model, names);
    return modelOf(model);
  });
}

/** Lists the models that the caller may use. */
async function models(engine: OpenAiEngine, access: AccessRights | undefined): Promise<string[]> {
  const names = await engine.collections({ access });
  return [...(mayUse(access, engine.config.collection) ? [CONFIGURED_MODEL] : []), ...names.filter((name) => name !== CONFIGURED_MODEL)];
}

async function collectionNamed(model: string, engine: OpenAiEngine, access: AccessRights | undefined): Promise<string> {
  const name = model === CONFIGURED_MODEL ? engine.config.collection : model;
  const names = await engine.collections({ access });
  if (names.includes(name)) return name;
  throw modelNotFound(name, names);
}

function modelNotFound(name: string, existing: readonly string[]): KbError {
  return new KbError(
    'not_found',
    `The model "${name.slice(0, 100)}" does not exist here: a model is a collection, or ${CONFIGURED_MODEL}.`,
    {
      hint: didYouMean(name, existing) ?? 'GET /v1/models lists them.',
    },
  );
}

// clients of OpenAI's API know no other paths, so advice names none
const [completionWording, embeddingWording] = [CompletionRequest, EmbeddingsRequest].map((input) => requestWording(input, () => undefined));

const EMBED = { operation: 'embed', queue: 'stage' } as const;

interface EmbeddingsCall {
  request: FastifyRequest;
  reply: FastifyReply;
  context: RouteContext;
  /** Name of the configured embedding model; empty if there is none. */
  embeddingModel(): Promise<string>;
}

/** Names of OpenAI's models, which clients send by default: they stand for the configured model. */
const OPENAI_MODELS = /^text-embedding-(?:3-small|3-large|ada-002)$/;

/** The texts of a request, some of which may be lists of tokens. */
async function textsOf(input: EmbeddingsRequest['input']): Promise<string[]> {
  if (typeof input === 'string') return [input];
  const entries = typeof input[0] === 'number' ? [input as number[]] : (input as (string | number[])[]);
  const takeTurns = yieldToEventLoop(undefined);
  const texts: string[] = [];
  for (const entry of entries) {
    await takeTurns();
    texts.push(typeof entry === 'string' ? entry : await decodeTokens(entry));
  }
  return texts;
}

async function createEmbeddings({ request, reply, context, embeddingModel }: EmbeddingsCall): Promise<FastifyReply> {
  const { model, input, dimensions, encoding_format = 'float' } = parseRequest(EmbeddingsRequest, request.body);
  const configured = await embeddingModel();
  if (configured === '' || (model !== configured && !OPENAI_MODELS.test(model)))
    throw new KbError('not_found', `The embedding model "${model.slice(0, 100)}" does not exist here.`, {
      hint: configured ? `This server has ${configured}.` : 'This server has none: its collections are searched by keyword only.',
    });
  const texts = await textsOf(input);
  const given = { chunks: texts.map((text, i) => ({ id: String(i), text })) };
  const answerOf = (result: object) =>
    embeddingList(result as ResultOf<'embed'>, { texts, model, configured, dimensions, encoding_format });
  return sendResult(reply, await runToJson(EMBED, { request, reply, given, wording: embeddingWording }, { context, answerOf }));
}

/** What was embedded, and the form of the response. */
interface EmbeddingForm {
  texts: readonly string[];
  /** The model as it was asked for, and the one that made the vectors. */
  model: string;
  configured: string;
  dimensions: number | undefined;
  encoding_format: 'float' | 'base64';
}

/** Makes the response with the vectors of texts. Throws a KbError if one of them was not embedded. */
function embeddingList(
  { items, errors: [failed] }: ResultOf<'embed'>,
  { texts, model, configured, dimensions, encoding_format }: EmbeddingForm,
): object {
  if (failed)
    throw new KbError(failed.isRetryable ? 'unavailable' : 'usage', `input: ${failed.error}`, { isRetryable: failed.isRetryable });
  const length = items[0]?.embedding?.length;
  if (dimensions !== undefined && dimensions !== length)
    throw new KbError('usage', `dimensions: ${configured} makes vectors of length ${length}.`, { hint: 'Leave it out.' });
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  const write = (vector: number[]) =>
    encoding_format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
  const data = items.map(({ embedding = [] }, index) => ({ object: 'embedding', index, embedding: write(embedding) }));
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Model name of the configured collection. */
const CONFIGURED_MODEL = 'kb';

const CHAT = { operation: 'chat', queue: 'search' } as const;

interface CompletionCall {
  request: FastifyRequest;
  reply: FastifyReply;
  context: RouteContext;
  /** Returns the collection of a model that the caller may use. Throws a KbError (`not_found`). */
  collectionOf(model: string): Promise<string>;
}

/** Answers POST /v1/chat/completions. */
async function answerCompletion({ request, reply, context, collectionOf }: CompletionCall): Promise<FastifyReply> {
  const completion = parseRequest(CompletionRequest, request.body);
  const given = { ...toChatRequest(completion), collection: await collectionOf(completion.model) };
  const shape: ResponseShape = {
    head: { id: `chatcmpl-${request.id}`, created: Math.floor(Date.now() / 1000), model: completion.model },
    prompt: estimateTokens(completion.messages.map(({ content }) => textOf(content)).join('\n')),
    include_usage: completion.stream_options?.include_usage ?? false,
  };
  if (completion.stream)
    return await streamOperation(
      CHAT,
      { request, reply, given, wording: completionWording, write: (events) => writeChunks(events, shape) },
      context,
    );
  const answerOf = (result: object) => completionOf(result as ChatResult, shape);
  return sendResult(reply, await runToJson(CHAT, { request, reply, given, wording: completionWording }, { context, answerOf }));
}

/** Makes the response with an answer. Throws a KbError if there is none. */
function completionOf(result: ChatResult, shape: ResponseShape): object {
  const failed = toError(result);
  if (failed) throw failed;
  const message = { role: 'assistant', content: result.answer, refusal: null, annotations: annotationsOf(result) };
  return {
    ...shape.head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(result) }],
    usage: usageOf(result, shape),
  };
}

/** Form of the response. */
interface ResponseShape {
  head: { id: string; created: number; model: string };
  /** Tokens of the messages, as estimated. */
  prompt: number;
  include_usage: boolean;
}

const textOf = (content: CompletionRequest['messages'][number]['content']): string =>
  typeof content === 'string' ? content : (content ?? []).flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');

/** Makes the turn of a conversation. Throws a KbError (`usage`) without a user message. */
function toChatRequest({ messages, max_completion_tokens, max_tokens = max_completion_tokens }: CompletionRequest): RequestOf<'chat'> {
  const lastMessage = messages.findLast(({ role }) => role === 'user');
  if (typeof lastMessage?.content === 'object' && lastMessage.content.length > 0 && textOf(lastMessage.content).trim() === '')
    throw new KbError('usage', 'messages: the last user message has no text; kb does not read pictures, sounds and files.', {
      hint: 'Add the question as a part of type text.',
    });
  const texts = messages.map(({ role, content }) => ({ role, content: textOf(content) })).filter(({ content }) => content.trim() !== '');
  const last = texts.findLastIndex(({ role }) => role === 'user');
  if (last < 0) throw new KbError('usage', 'messages: a message of the role user with a text is expected.');
  const persona = texts.flatMap(({ role, content }) => (role === 'system' || role === 'developer' ? [content] : [])).join('\n\n');
  const history = texts.slice(0, last).flatMap(({ role, content }) => (role === 'user' || role === 'assistant' ? [{ role, content }] : []));
  // clients of this protocol send whole conversations, and trim none
  return {
    query: texts[last]!.content,
    history: newestMessages(history),
    ...(persona ? { persona } : {}),
    ...(max_tokens === undefined ? {} : { max_tokens }),
  };
}

/** Makes the error for a missing answer; undefined if there is one. */
function toError({ answer, errors }: ChatResult): KbError | undefined {
  if (answer !== '') return undefined;
  const isRetryable = errors.some((item) => item.isRetryable);
  const code = errors.some(({ stage }) => stage === 'validate') ? 'usage' : isRetryable ? 'unavailable' : 'internal';
  return new KbError(code, errors.map(({ error }) => error).join(' ') || 'There is no answer.', { isRetryable });
}

const finishReason = ({ llm }: ChatResult): 'stop' | 'length' => (llm.cut_off === undefined ? 'stop' : 'length');

/** Token counts of the provider, or estimates. */
function usageOf({ llm, answer }: ChatResult, { prompt }: ResponseShape): object {
  const prompt_tokens = llm.input_tokens || prompt;
  const completion_tokens = llm.output_tokens || estimateTokens(answer);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

async function* writeChunks(
  events: AsyncIterable<Event>,
  { head, prompt, include_usage }: ResponseShape,
): AsyncGenerator<string, void, void> {
  const chunk = (rest: object) => formatFrame({ ...head, object: 'chat.completion.chunk', ...rest });
  const choice = (delta: object, finish_reason: string | null = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] });
  yield choice({ role: 'assistant', content: '' });
  for await (const event of withHeartbeat(events, HEARTBEAT)) {
    if (!event) yield ': still here\n\n';
    else if (event.type === 'token') yield choice({ content: event.data.reset === true ? '\n\n' : String(event.data.text) }); // the shape has no way to take text back
    else if (event.type === 'final') {
      const result = event.data as unknown as ChatResult;
      const failed = toError(result);
      if (failed) yield formatFrame(openAiError(500, makeFailure(500, failed.message).body));
      else {
        yield choice({ annotations: annotationsOf(result) }, finishReason(result));
        if (include_usage) yield chunk({ choices: [], usage: usageOf(result, { head, prompt, include_usage }) });
      }
    }
  }
  yield 'data: [DONE]\n\n';
}

const formatFrame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

interface Range {
  start_index: number;
  end_index: number;
}

/** A citation in OpenAI's shape: a page by its address, any other source by its name. Indices into the answer, in UTF-16 units. */
type Annotation =
  | { type: 'url_citation'; url_citation: Range & { url: string; title: string } }
  | { type: 'file_citation'; file_citation: Range & { file_id: string; filename: string; title: string; location: Source['location'] } };

/** Lists the citations of an answer, each with the range that it supports: the verbatim quotation, else the sentence, including the mark. */
export function annotationsOf({ answer, sources }: Pick<ChatResult, 'answer' | 'sources'>): Annotation[] {
  const found: Annotation[] = [];
  let [start, from] = [0, 0];
  for (const { 0: mark, 1: list, index } of answer.matchAll(CITATIONS)) {
    const cited = (numbersCited(list!, sources.length) ?? []).map((number) => sources.filter(({ citation }) => citation === number));
    const citedSources = cited.flat();
    if (citedSources.length === 0) continue;
    // adjacent marks support the same text
    if (/[\p{L}\p{N}]/u.test(answer.slice(from, index))) start = findSupportStart(answer, { from, to: index }, citedSources);
    from = index + mark.length;
    for (const [source] of cited) if (source) found.push(toAnnotation(source, { start_index: start, end_index: from }));
  }
  return found;
}

/**
 * Finds the start of the text that a citation supports: the first line or sentence from which everything up to the citation is quoted from a
 * source, else the last one.
 */
function findSupportStart(answer: string, { from, to }: { from: number; to: number }, sources: readonly Source[]): number {
  const texts = sources.map(({ text }) => collapseSpaces(text));
  const starts = listStarts(answer, from, to);
  const isQuoted = (start: number): boolean => texts.some((text) => text.includes(collapseSpaces(answer.slice(start, to))));
  return starts.find(isQuoted) ?? starts.at(-1)!;
}

/** Lists where lines and sentences with content begin. */
function listStarts(text: string, from: number, to: number): number[] {
  const starts: number[] = [];
  for (const { index, 0: line } of text.slice(from, to).matchAll(/[^\n]+/g)) {
    const end = from + index + line.length;
    for (let at = from + index + /^\s*/.exec(line)![0].length; at >= 0 && at < end; at = firstSentenceStart(text, at, end))
      if (/[\p{L}\p{N}]/u.test(text.slice(at, end))) starts.push(at);
  }
  return starts;
}

const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

function toAnnotation({ id, title, metadata, location }: Source, range: Range): Annotation {
  const source = String(metadata.source);
  return /^https?:\/\//i.test(source)
    ? { type: 'url_citation', url_citation: { ...range, url: source, title } }
    : { type: 'file_citation', file_citation: { ...range, file_id: id, filename: source, title, location } };
}
