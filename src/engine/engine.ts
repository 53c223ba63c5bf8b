import { didYouMean } from '../core/nearest.ts';
import { type AccessRights, assertScope } from '../core/access-rights.ts';
import { parseRequest, unfitChunking } from '../core/parse-request.ts';
import { validated } from '../config/load.ts';
import { KbError } from '../core/errors.ts';
import { mergeLayers, settingsIn } from '../core/settings.ts';
import type { Run } from '../core/run.ts';
import type { z } from 'zod';
import { type OperationName, operations, type ResultOf } from '../schema/operations.ts';
import { Config } from '../schema/config.ts';
import type { Event } from '../schema/results.ts';
import type { Engine, EngineOptions } from '../ports/engines.ts';
import { withOwnNames } from '../schema/provider-names.ts';
import { driverNames, requestOptionsOf } from './driver-table.ts';
import { assertCollections, assertPermitted, collectionsOf, lendable } from './permissions.ts';
import { createResources } from './resources.ts';
import { tracedResources } from './tracing/traced-resources.ts';
import { work, type Work } from './work.ts';

/** Creates an engine. Nothing is opened before the first run. Throws a KbError (`configuration`) for an invalid configuration, and for an own driver with a built-in name. */
export function createEngine({ config, home = process.cwd(), cwd = home, surface = 'cli', tracer, ...own }: EngineOptions): Engine {
  const names = driverNames(own);
  const schema = withOwnNames(Config, names);
  validated(config, (path) => path, schema);
  const opened = createResources({ config, home, surface, own });
  const resources = tracer ? tracedResources(opened, tracer) : opened;
  const base = surface === 'server' ? lendable(config) : config;
  const prepared = (name: OperationName, request: unknown, access: AccessRights | undefined) => {
    const known = operationNamed(name);
    assertScope(access, operations[known].scope);
    const input = withOwnNames(operations[known].input as z.ZodType, names);
    const given = parseRequest(input, request);
    const layer = settingsIn(input, given);
    const settings = schema.parse(mergeLayers(base, layer));
    const unfit = unfitChunking(settings.chunking);
    if (unfit) throw new KbError('usage', unfit);
    const collections = collectionsOf(known, given, settings);
    assertCollections(access, collections, { settings, config, home });
    const { check, run } = work[known] as Work;
    check?.(given, settings);
    const requestOptions = requestOptionsOf(settings.storage.vector_db, own);
    if (surface === 'server') assertPermitted({ layer, settings, config, home, cwd, requestOptions });
    return { run, given, settings, collections };
  };
  return {
    config,
    async *run(name, request, { signal, access, traceparent, onBegin, lists = true } = {}) {
      const { run, given, settings, collections } = prepared(name, request, access);
      onBegin?.(collections);
      const running = run(given, { settings, resources, home, cwd, surface, access, tracer, signal, lists });
      const isSpan = name !== 'watch'; // it ends with the process: each of its ingests is one
      return (yield* numberEvents((isSpan && tracer?.run(name, running, { traceparent })) || running)) as ResultOf<typeof name>;
    },
    check: (name, request, { access } = {}) => prepared(name, request, access).collections,
    collections: async ({ access } = {}) =>
      (await import('./collections.ts')).permittedCollections({ settings: config, resources, access }),
    embeddingModel: async () => (await (await import('./collections.ts')).embedderName({ settings: config, resources })).model,
    close: () => resources.close(),
  };
}

/** Throws a KbError (`usage`) for an unknown operation. */
function operationNamed(name: string): OperationName {
  if (Object.hasOwn(operations, name)) return name as OperationName;
  throw new KbError('usage', `There is no operation «${name}».`, {
    hint: didYouMean(name, Object.keys(operations)) ?? `There are ${Object.keys(operations).join(', ')}.`,
  });
}

async function* numberEvents<R>(run: Run<R>): AsyncGenerator<Event, R, void> {
  let sequence = 0;
  let finished = false;
  try {
    for (;;) {
      const step = await run.next();
      if (step.done) {
        finished = true;
        return step.value;
      }
      yield { ...step.value, sequence: sequence++ };
    }
  } finally {
    if (!finished) await run.return(undefined as never);
  }
}
