import { onTestFinished, vi } from 'vitest';
import { mergeLayers, type Layer } from '../../src/core/settings.ts';
import { collect } from '../../src/core/run.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { Engine, RunOptions } from '../../src/ports/engines.ts';
import type { OperationName, RequestOf, ResultOf } from '../../src/schema/operations.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { folder } from './folder.ts';
import { openOpenAiServer, type Behaviour, type OpenAiServer } from './openai-server.ts';
import { openQdrantServer, type QdrantServer } from './qdrant-server.ts';

/** Search by words alone: what needs no vectors is tested without a model. */
export const WORDS: Layer = { embedding: { provider: 'none' } };

/** An engine whose store and sources are in `home`, with these settings over the defaults; closed after the test. */
export function engineIn(home: string, settings: Layer = WORDS): Engine {
  const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, settings)), home });
  onTestFinished(() => engine.close());
  return engine;
}

/** Runs an operation to its end, for what comes of it. */
export async function result<Name extends OperationName>(
  engine: Engine,
  name: Name,
  request: RequestOf<Name>,
  options?: RunOptions,
): Promise<ResultOf<Name>> {
  return (await collect(engine.run(name, request, options))).result;
}

/** A server, closed after the test, and the settings that name it; locks go to a folder of the test's own. */
export async function qdrantServer(): Promise<{ server: QdrantServer; storage: Layer }> {
  vi.stubEnv('XDG_STATE_HOME', folder());
  const server = await openQdrantServer();
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });
  return { server, storage: { vector_db: 'qdrant', url: server.url } };
}

/** A model server, closed after the test, and the settings that name it. */
export async function modelServer(
  behaviour: Behaviour = {},
  embedding: Layer = {},
): Promise<{ server: OpenAiServer; settings: Layer; texts(): string[] }> {
  const server = await openOpenAiServer(behaviour);
  onTestFinished(() => server.close());
  return {
    server,
    settings: { embedding: { provider: 'openai_compatible', model: 'test-model', options: { base_url: server.url }, ...embedding } },
    texts: () => server.requests.flatMap(({ path, body }) => (path === '/v1/embeddings' ? [body.input ?? []].flat() : [])),
  };
}

/** The chunks of a collection, from its export. */
export async function chunksIn(engine: Engine, name = 'default'): Promise<Record<string, unknown>[]> {
  const { events } = await collect(engine.run('export_collection', { name }));
  return events.slice(1, -1).map(({ data }) => data);
}

/** The sources of a collection, in name order. */
export const sourcesIn = async (engine: Engine, name?: string): Promise<string[]> =>
  [...new Set((await chunksIn(engine, name)).map(({ source }) => String(source)))].toSorted();
