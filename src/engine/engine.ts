import { parseRequest, unfitChunking } from '../core/parse-request.ts';
import { nearest } from '../core/nearest.ts';
import { KbError } from '../core/errors.ts';
import { mergeLayers, settingsIn } from '../core/settings.ts';
import type { Run } from '../core/run.ts';
import { Config } from '../schema/config.ts';
import type { Event } from '../schema/results.ts';
import type { Context } from './context.ts';
import { type Operation, type OperationName, operations, type RequestOf, type ResultOf } from './operations.ts';
import type { OwnDrivers } from '../ports/drivers.ts';
import { withOwnNames } from '../schema/provider-names.ts';
import { driverNames, requestOptionsOf } from './driver-table.ts';
import { assertPermitted, lendable } from './permissions.ts';
import { createResources } from './resources.ts';

/** Beside where and how it works: drivers of one's own, whose names the configuration and requests may then use. */
export interface EngineOptions extends OwnDrivers {
  config: Config;
  /** The folder that sources and relative store paths are relative to; the working directory where absent. */
  home?: string;
  /** The folder that paths in requests are relative to; `home` where absent. */
  cwd?: string;
  surface?: Context['surface'];
}

export interface RunOptions {
  signal?: AbortSignal | undefined;
  /** Whether the report's lists are filled; without them it stays small, whatever the corpus. */
  lists?: boolean;
}

/** kb itself, without a face. Drivers are opened when they are first needed, and shared. */
export interface Engine {
  readonly config: Config;
  /** Runs an operation: yields numbered events, returns its result. Throws a KbError where the work ends without one. */
  run<Name extends OperationName>(name: Name, request: RequestOf<Name>, options?: RunOptions): AsyncGenerator<Event, ResultOf<Name>, void>;
  /** Throws the KbError that `run` would throw before it does anything: for a request that does not fit, or asks for what it may not. */
  check<Name extends OperationName>(name: Name, request: RequestOf<Name>): void;
  /** Asks the configured store for an answer. Throws a KbError where it gives none. */
  checkStore(): Promise<void>;
  close(): Promise<void>;
}

/** Makes an engine. Nothing is opened or read before the first run. Throws a KbError (`configuration`) for a driver whose name kb has itself. */
export function createEngine({ config, home = process.cwd(), cwd = home, surface = 'cli', ...own }: EngineOptions): Engine {
  const names = driverNames(own);
  const schema = withOwnNames(Config, names);
  const resources = createResources({ config, home, surface, own });
  const base = surface === 'server' ? lendable(config) : config;
  const prepared = (name: OperationName, request: unknown) => {
    const operation = operationNamed(name);
    const input = withOwnNames(operation.input, names);
    const given = parseRequest(input, request);
    const layer = settingsIn(input, given);
    const settings = schema.parse(mergeLayers(base, layer));
    const unfit = unfitChunking(settings.chunking);
    if (unfit) throw new KbError('usage', unfit);
    operation.check?.(given, settings);
    const requestOptions = requestOptionsOf(settings.storage.vector_db, own);
    if (surface === 'server') assertPermitted({ layer, settings, config, home, cwd, requestOptions });
    return { operation, given, settings };
  };
  return {
    config,
    async *run(name, request, { signal, lists = true } = {}) {
      const { operation, given, settings } = prepared(name, request);
      const run = operation.run(given, { settings, resources, home, cwd, surface, signal, lists });
      return (yield* numbered(run)) as ResultOf<typeof name>;
    },
    check: (name, request) => void prepared(name, request),
    checkStore: async () => void (await (await resources.store(config.storage)).collections()),
    close: () => resources.close(),
  };
}

/** Throws a KbError (`usage`) for a name that no operation has. */
function operationNamed(name: string): Operation {
  if (Object.hasOwn(operations, name)) return operations[name as OperationName] as unknown as Operation;
  const meant = nearest(name, Object.keys(operations));
  throw new KbError('usage', `There is no operation «${name}».`, {
    hint: meant ? `Did you mean «${meant}»?` : `There are ${Object.keys(operations).join(', ')}.`,
  });
}

async function* numbered<R>(run: Run<R>): AsyncGenerator<Event, R, void> {
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
