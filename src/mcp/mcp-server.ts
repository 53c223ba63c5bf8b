import { didYouMean } from '../core/nearest.ts';
import { z } from 'zod';
import { describe, type ErrorCode, isAbort, isForeseen } from '../core/errors.ts';
import { formatBody, requestWording } from '../core/advice/wordings.ts';
import type { Wording } from '../core/advice/advice.ts';
import { coerceFields, parseRequest } from '../core/parse-request.ts';
import { packageVersion } from '../core/project.ts';
import type { OperationName, RequestOf, ResultOf } from '../schema/operations.ts';
import type { Event } from '../schema/results.ts';
import * as sdk from './mcp-library.ts';
import { StdioServerTransport } from './mcp-library.ts';
import { formatExcerpt, parseDocumentUri, isWriting, PAGE_SIZE, SOURCE_CHARACTERS, type Tool, tools, documentUri } from './tools.ts';
import { inspect } from 'node:util';
import { settle } from '../core/run.ts';
import type { Engine } from '../ports/engines.ts';

/** Minimum milliseconds between progress notifications. */
const PROGRESS_INTERVAL = 250;

/** Services that the MCP server needs. */
export interface McpParts {
  /** Runs an operation to the end. Throws what the operation throws. */
  run<Name extends OperationName>(name: Name, request: RequestOf<Name>, options: RunParts): Promise<ResultOf<Name>>;
  /** The collections that the client may use. */
  collections(): Promise<string[]>;
  /** The configured collection, for calls that name none. */
  collection: string;
  /** Whether tools that change what is stored are offered. */
  allowWrite: boolean;
  /** Called with an unforeseen error; the client learns only that there was one. */
  onProblem(error: unknown): void;
}

interface RunParts {
  signal: AbortSignal;
  wording: Wording;
  onEvent?: (event: Event) => void;
}

/** An error of JSON-RPC. The SDK's own class puts the code into the message, and so does the client that reads it. */
class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const UNEXPECTED_ERROR = 'Something went wrong inside kb; its log says what.';

function errorMessage(error: unknown, { onProblem }: Pick<McpParts, 'onProblem'>): string {
  if (isForeseen(error)) return describe(error);
  if (!isAbort(error)) onProblem(error);
  return UNEXPECTED_ERROR;
}

/** Arguments of the SDK for the handler of a request. */
interface Extra {
  signal: AbortSignal;
  _meta?: { progressToken?: string | number | undefined } | undefined;
  sendNotification(notice: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string };
  }): Promise<void>;
}

const INSTRUCTIONS =
  'Documents of the user, searchable. Use ask for a question about them, search to read passages yourself, get_source to read on. Cite document and place. If nothing answers, say so.';

/** An MCP server over the engine: tools and resources, without a transport. */
export function createMcpServer(parts: McpParts): sdk.Server {
  const offered = new Map(Object.entries(tools).filter(([, tool]) => parts.allowWrite || !isWriting(tool)));
  const server = new sdk.Server(
    { name: 'kb', title: 'Knowledge base', version: packageVersion() },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: [...offered].map(([name, tool]) => describeTool(name, tool)) }));
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }, extra) => {
    const tool = offered.get(name);
    if (!tool) throw new ProtocolError(sdk.ErrorCode.InvalidParams, unknownTool(name, [...offered.keys()]));
    try {
      return await callTool(tool, given, { parts, extra });
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: errorMessage(error, parts) }] };
    }
  });
  server.setRequestHandler(sdk.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'kb://{collection}/{id}', name: 'document', title: 'A stored document', mimeType: 'text/markdown' }],
  }));
  server.setRequestHandler(
    sdk.ListResourcesRequestSchema,
    async ({ params }, { signal }) => await withProtocolError(listResources(params?.cursor, { parts, signal }), parts),
  );
  server.setRequestHandler(
    sdk.ReadResourceRequestSchema,
    async ({ params: { uri } }, { signal }) => await withProtocolError(readResource(uri, { parts, signal }), parts),
  );
  return server;
}

function unknownTool(name: string, known: readonly string[]): string {
  if (Object.hasOwn(tools, name))
    return `There is no tool "${name}" here: writing is off. For the operator: kb mcp --allow-write allows it, for kb serve server.mcp_write: true.`;
  return `There is no tool "${name.slice(0, 100)}" here. ${didYouMean(name, known) ?? `There are ${known.join(', ')}.`}`;
}

function describeTool(name: string, tool: Tool) {
  const { title, description, input, output } = tool;
  const writes = isWriting(tool);
  return {
    name,
    title,
    description,
    inputSchema: toolSchema(input, 'input'),
    outputSchema: toolSchema(output, 'output'),
    annotations: { title, readOnlyHint: !writes, destructiveHint: writes, idempotentHint: true, openWorldHint: writes },
  };
}

/** Runs a tool. Throws a KbError for invalid arguments, and if the operation fails. */
async function callTool(tool: Tool, asked: unknown, { parts, extra }: { parts: McpParts; extra: Extra }) {
  const given = parseRequest(tool.input, coerceFields(tool.input, asked)) as { collection?: unknown };
  const collection = typeof given.collection === 'string' ? given.collection : parts.collection;
  const request = tool.request(given, collection);
  const result = await parts.run(tool.operation, request, {
    signal: extra.signal,
    wording: wordingOf(parts, tool),
    onEvent: progressTo(extra),
  });
  const { text, data, links = [] } = tool.answer(result, { ...given, collection });
  const further = links.map((link) => ({ type: 'resource_link' as const, ...link, mimeType: 'text/markdown' }));
  return { content: [{ type: 'text' as const, text }, ...further], structuredContent: data };
}

/** Wording of advice for tools: arguments of this one, and the other tools offered. */
const wordingOf = (parts: Pick<McpParts, 'allowWrite'>, tool?: Tool): Wording =>
  requestWording(tool?.input ?? z.object({}), (operation, request) => {
    const named = Object.entries(tools).find(([, other]) => other.operation === operation && (parts.allowWrite || !isWriting(other)));
    return named && [named[0], formatBody(named[1].input, request)].filter(Boolean).join(' ');
  });

/** Sends progress to a client that requested it. */
function progressTo({ _meta, sendNotification }: Extra): (event: Event) => void {
  const progressToken = _meta?.progressToken;
  let [progress, last] = [0, -Infinity];
  return ({ type, stage, message }) => {
    const now = performance.now();
    if (progressToken === undefined || type !== 'progress' || now - last < PROGRESS_INTERVAL) return;
    last = now;
    const params = { progressToken, progress: ++progress, message: message || stage };
    sendNotification({ method: 'notifications/progress', params }).catch(() => {}); // the client has left
  };
}

interface ResourceContext {
  parts: McpParts;
  signal: AbortSignal;
}

/** Lists one page of the documents of all collections, one collection after the other. A cursor holds a collection and a cursor in it. */
async function listResources(cursor: string | undefined, { parts, signal }: ResourceContext) {
  const names = (await parts.collections()).toSorted();
  let [name, within] = cursor === undefined ? [names[0], undefined] : parseCursor(cursor);
  while (name !== undefined) {
    const current: string = name;
    const request = { name: current, limit: PAGE_SIZE, ...(within === undefined ? {} : { cursor: within }) };
    const page = await parts.run('list_sources', request, { signal, wording: wordingOf(parts) });
    const listed = page.sources.map(({ id, source, title }) => ({
      uri: documentUri(current, id),
      name: source,
      title,
      mimeType: 'text/markdown',
    }));
    within = page.cursor ?? undefined;
    if (within === undefined) name = names.find((other) => other > current);
    if (listed.length > 0) return { resources: listed, ...(name === undefined ? {} : { nextCursor: formatCursor(name, within) }) };
  }
  return { resources: [] };
}

const formatCursor = (name: string, within: string | undefined): string =>
  Buffer.from(JSON.stringify([name, within])).toString('base64url');

const Position = z.tuple([z.string(), z.string().nullish()]);

/** Parses a cursor. Throws a ProtocolError for an invalid one. */
function parseCursor(cursor: string): [string, string | undefined] {
  try {
    const [name, within] = Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return [name, within ?? undefined];
  } catch {
    throw new ProtocolError(sdk.ErrorCode.InvalidParams, 'The cursor is of no page: begin again without one.');
  }
}

async function readResource(uri: string, { parts, signal }: ResourceContext) {
  const { collection, id } = parseDocumentUri(uri);
  const request = { name: collection, id, max_characters: SOURCE_CHARACTERS };
  const source = await parts.run('get_source', request, { signal, wording: wordingOf(parts) });
  return { contents: [{ uri, mimeType: 'text/markdown', text: formatExcerpt(source) }] };
}

/** The protocol's code for a missing resource. */
const NO_RESOURCE = -32_002;

/** The protocol's codes for errors that the client can fix. */
const CODES: Partial<Record<ErrorCode, number>> = {
  usage: sdk.ErrorCode.InvalidParams,
  configuration: sdk.ErrorCode.InvalidParams,
  conflict: sdk.ErrorCode.InvalidParams,
  too_large: sdk.ErrorCode.InvalidParams,
  forbidden: sdk.ErrorCode.InvalidRequest,
  not_found: NO_RESOURCE,
};

/** Converts errors of resources to protocol errors: their results have no error form. */
async function withProtocolError<Result>(work: Promise<Result>, parts: McpParts): Promise<Result> {
  return await work.catch((error: unknown) => {
    if (error instanceof ProtocolError) throw error;
    const code = isForeseen(error) ? CODES[error.code] : undefined;
    throw new ProtocolError(code ?? sdk.ErrorCode.InternalError, errorMessage(error, parts));
  });
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Metadata of a field that is only for kb. */
const OWN_KEYS = ['id', 'flag', 'overrides', 'unit', 'examples'] as const;

/** Converts the input or output schema of a tool to JSON Schema without references and metadata of kb, which some clients do not support. */
function toolSchema(schema: z.ZodObject, io: 'input' | 'output'): { type: 'object' } {
  const override = ({ jsonSchema }: { jsonSchema: JsonSchema }): void => {
    for (const key of OWN_KEYS) delete jsonSchema[key];
    delete jsonSchema.propertyNames;
  };
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override }) as JsonSchema & { $defs?: Record<string, object> };
  const inline = (_key: string, value: unknown): unknown => {
    const { $ref, ...beside } = (value ?? {}) as JsonSchema;
    return typeof $ref === 'string' ? { ...$defs[$ref.slice('#/$defs/'.length)], ...beside } : value;
  };
  return JSON.parse(JSON.stringify(root, inline)) as { type: 'object' };
}

/** The parts of an MCP server over an engine. */
const createParts = (engine: Engine, allowWrite: boolean): McpParts => ({
  run: (name, request, { signal, wording, onEvent }) => settle(engine.run(name, request, { signal, wording }), onEvent),
  onProblem: (error) => void process.stderr.write(`${inspect(error)}\n`),
  collections: () => engine.collections(),
  collection: engine.config.collection,
  allowWrite,
});

/** Responds to an invalid line as JSON-RPC 2.0 requires, with a null id; the SDK only reports it. */
function answerUnreadable(error: Error): void {
  const isJson = error.name !== 'SyntaxError';
  if (isJson && error.name !== 'ZodError') return; // by name, because the SDK has its own copy of zod
  const problem = isJson
    ? { code: sdk.ErrorCode.InvalidRequest, message: 'The line is no message of JSON-RPC 2.0.' }
    : { code: sdk.ErrorCode.ParseError, message: 'The line is no JSON: each message is one line of it.' };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: problem })}\n`);
}

/** Serves MCP over standard input and output until the input ends or the signal is aborted; running calls are then stopped. */
export async function serveStdio(engine: Engine, { allowWrite, signal }: { allowWrite: boolean; signal: AbortSignal }): Promise<void> {
  const server = createMcpServer(createParts(engine, allowWrite));
  const over = new Promise<void>((end) => {
    process.stdin.once('end', end).once('close', end);
    signal.addEventListener('abort', () => end(), { once: true });
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
  server.onerror = answerUnreadable;
  await server.connect(new StdioServerTransport());
  await over;
  await server.close();
}
