import type { LoadedConfig } from '../config/load.ts';
import type { EngineOptions, RunOptions, Tracer } from '../ports/engines.ts';
import { type Screen, createScreen } from './screen.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from '@oclif/core/command';
import type { Interfaces } from '@oclif/core';
import type { Event } from '../schema/results.ts';
import { type OperationName, type RequestOf, type ResultOf, operations } from '../schema/operations.ts';
import { EXIT } from './failure.ts';
import { type CommandContext, type FlagValues, createInterruptSignal } from './command-context.ts';
import { commonFlags, readSettingFlags, type FlagTable, operationFlags, readRequestFlags } from './flags.ts';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { storeFolder } from '../engine/store-address.ts';
import { setFlagsFromString } from 'node:v8';
import * as Flags from '@oclif/core/flags';
import type { Pipe } from './json-lines.ts';
import { askToConfirm } from './prompts.ts';

/** Maximum milliseconds to close the engine after an interrupt: some work cannot be stopped. */
const MAX_CLOSING_TIME = 500;

/** How a command runs and shows an operation. */
export interface OperationView<Name extends OperationName> {
  request: RequestOf<Name>;
  onEvent?: (event: Event) => void;
  /** Adds what the command itself knows to the result, also with `--json`. */
  complete?: (result: ResultOf<Name>) => ResultOf<Name>;
  /** Not called with `--json`. */
  result?: (result: ResultOf<Name>) => void;
  hasFailed?: (result: ResultOf<Name>) => boolean;
  /** Title of the progress line. */
  title?: string;
  /** Text beside a spinner, if the work has no progress to count. */
  waiting?: string;
  /** Whether `onEvent` prints, line by line. */
  prints?: boolean;
  lists?: boolean;
}

/** A command of kb: reads flags and configuration, opens the engine, runs, closes, and sets the exit code. */
export abstract class KbCommand extends Command {
  static override baseFlags = commonFlags as Interfaces.FlagInput;

  /** Reads the configuration and opens the engine for as long as `work` takes. */
  protected async withEngine(
    flags: FlagValues,
    work: (context: CommandContext) => Promise<void>,
    { surface = 'cli' }: Pick<EngineOptions, 'surface'> = {},
  ): Promise<void> {
    const screen = createScreen({ quiet: Boolean(flags.quiet), json: Boolean(flags.json) });
    const [{ loadCommandConfig }, { createEngine }] = await Promise.all([
      import('./load-command-config.ts'),
      import('../engine/engine.ts'),
    ]);
    const [cwd, file] = [process.cwd(), flags.config as string | undefined];
    const serves = this.id === 'serve';
    const loaded = await loadCommandConfig({ cwd, file, environment: process.env, flags: readSettingFlags(flags), serves }, screen);
    if ('storage-url' in this.ctor.flags) noteStoreAbove(loaded, screen);
    const tracer = await openTracer(loaded, screen);
    const engine = createEngine({ ...loaded, cwd, surface, tracer }); // variables of .env are for the engine, not for the programs that kb starts
    const { signal, release } = createInterruptSignal();
    try {
      await work({ loaded, engine, screen, tracer, signal, flags });
    } finally {
      release();
      await (signal.aborted ? Promise.race([engine.close(), wait(MAX_CLOSING_TIME)]) : engine.close());
      await tracer?.close();
    }
  }

  /** Runs one operation, shows its progress and its result, and sets the exit code. */
  protected async perform<Name extends OperationName>(
    context: CommandContext,
    name: Name,
    { request, ...show }: OperationView<Name>,
  ): Promise<ResultOf<Name>> {
    const { engine, screen, signal } = context;
    const options: RunOptions = { signal, lists: show.lists ?? screen.json };
    const { showProgress } = await import('./progress.ts');
    const outcome = await showProgress(engine.run(name, request, options), {
      screen,
      title: show.title,
      waiting: show.waiting,
      prints: show.prints,
      onEvent: show.onEvent,
    });
    const result = show.complete?.(outcome) ?? outcome;
    if (screen.json) screen.printJson(result);
    else show.result?.(result);
    const hasFailed = show.hasFailed ?? ((done) => ((done as { failed?: number }).failed ?? 0) > 0);
    if (hasFailed(result) && !context.flags['allow-failures']) process.exitCode = EXIT.failed;
    return result;
  }
}

/** Opens the tracer if the variables of OpenTelemetry name a collector. */
async function openTracer({ environment }: LoadedConfig, screen: Screen): Promise<Tracer | undefined> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT && !environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined;
  const [{ otlpSettings, OtlpTracer }, { packageVersion }] = await Promise.all([
    import('../http/otlp-tracer.ts'),
    import('../core/project.ts'),
  ]);
  const { settings, problem } = otlpSettings(environment, packageVersion());
  if (problem !== undefined) screen.note(problem);
  return settings && new OtlpTracer(settings, screen.note);
}

function noteStoreAbove(loaded: LoadedConfig, screen: Screen): void {
  const above = findStoreAbove(loaded);
  if (above !== undefined)
    screen.note(
      `There is no base in this folder yet, but one in ${above}. To use that, run kb there, or write a kb.config.yaml there (kb init).`,
    );
}

/**
 * Finds the nearest parent folder with a store, if this folder has none and neither a configuration file nor a flag chooses one: the user may
 * be in the wrong folder.
 */
export function findStoreAbove({ config: { storage }, file, home }: Pick<LoadedConfig, 'config' | 'file' | 'home'>): string | undefined {
  if (file !== undefined || storage.url !== undefined || storage.vector_db !== 'lancedb') return undefined;
  for (let folder = home; ; folder = dirname(folder)) {
    if (existsSync(storeFolder(storage, folder))) return folder === home ? undefined : folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * Stops V8 from growing the space for new objects, which would double the memory of a long ingest. Measured with bench/memory.ts, 3,000 files
 * and 300: 434 MB and 254 without this, 314 and 234 with it. Storing 100,000 chunks: 741 MB without, 618 to 667 with it.
 */
export const tuneGarbageCollector = (): void => setFlagsFromString('--semi-space-growth-factor=1');

interface OperationCommand<Name extends OperationName> {
  description?: string;
  examples: string[];
  /** Arguments, by the names of the fields of the request that they set. */
  args?: Interfaces.ArgInput;
  /** Flags besides those of the operation. */
  flags?: FlagTable;
  /** How the command shows its work. A `request` here replaces the one from arguments and flags. */
  show(context: CommandContext, request: RequestOf<Name>): Partial<OperationView<Name>>;
  /** The question to confirm unless `--yes` is given. Throws a KbError if the request names something that does not exist. */
  question?(context: CommandContext, request: RequestOf<Name>): string | Promise<string>;
}

/** Makes the command of an operation: summary, flags and request are those of its row in the table. */
export function operationCommand<Name extends OperationName>(
  name: Name,
  { description, examples, args = {}, flags = {}, show, question }: OperationCommand<Name>,
): typeof KbCommand {
  const operation = operations[name];
  return class extends KbCommand {
    static override summary = operation.summary;
    static override description = description;
    static override examples = examples;
    static override args = args;
    static override flags = {
      ...(question ? { yes: Flags.boolean({ description: 'Do not ask' }) } : {}),
      ...flags,
      ...operationFlags(operation, { omit: Object.keys(args) }),
    };

    async run(): Promise<void> {
      const given = await this.parse();
      await this.withEngine(given.flags, async (context) => {
        const request = { ...given.args, ...readRequestFlags(operation.input, given.flags) } as RequestOf<Name>;
        const confirmation = await question?.(context, request);
        if (confirmation !== undefined && !given.flags.yes && !(await askToConfirm(confirmation, `kb ${this.id!.replaceAll(':', ' ')}`)))
          return context.screen.note('Nothing was changed.');
        await this.perform(context, name, { request, ...show(context, request) });
      });
    }
  };
}

interface PipedCommand<Name extends OperationName, Item> extends Pipe<Name, Item> {
  description: string;
  examples: string[];
  /** Fields of the request that have no flag, because they come from standard input. */
  omit?: readonly string[];
  /** Flags besides those of the operation. */
  flags?: FlagTable;
  /** Called before the engine is opened. */
  prepare?(): void;
}

/** Makes the command of an operation that runs over the items on standard input. */
export function pipedCommand<Name extends OperationName, Item>(name: Name, command: PipedCommand<Name, Item>): typeof KbCommand {
  const operation = operations[name];
  return class extends KbCommand {
    static override summary = operation.summary;
    static override description = command.description;
    static override examples = command.examples;
    static override flags = { ...command.flags, ...operationFlags(operation, { omit: command.omit }) };

    async run(): Promise<void> {
      const { flags } = await this.parse();
      command.prepare?.();
      const { runPipe } = await import('./json-lines.ts');
      await this.withEngine(flags, (context) => runPipe(context, name, command));
    }
  };
}
