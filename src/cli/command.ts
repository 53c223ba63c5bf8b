import { setTimeout as wait } from 'node:timers/promises';
import { Command } from '@oclif/core/command';
import type { Interfaces } from '@oclif/core';
import { KbError } from '../core/errors.ts';
import type { Event } from '../schema/results.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { EngineOptions, RunOptions, Tracer } from '../ports/engines.ts';
import type { OperationName, RequestOf, ResultOf } from '../schema/operations.ts';
import { EXIT } from './failure.ts';
import type { CommandContext, FlagValues } from './command-context.ts';
import { commonFlags, settingsOfFlags } from './flags.ts';
import { createScreen, type Screen } from './screen.ts';
import { doubleInterrupt } from './double-interrupt.ts';

/** Milliseconds in which an engine closes whose work was stopped: it may wait for what can't be. */
const LAST_BREATH = 500;

/** How a command shows an operation: what it does with each event, what it prints at the end, and whether that counts as failed. */
export interface Show<Name extends OperationName> {
  request: RequestOf<Name>;
  onEvent?: (event: Event) => void;
  /** What the command adds to the result, also with `--json`. */
  completed?: (result: ResultOf<Name>) => ResultOf<Name>;
  /** Not called with `--json`. */
  result?: (result: ResultOf<Name>) => void;
  hasFailed?: (result: ResultOf<Name>) => boolean;
  /** Around the whole run, for progress. */
  title?: string;
  /** What the command waits for, if nothing can be counted. */
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
    const [{ loadConfig }, { createEngine }] = await Promise.all([import('../config/load.ts'), import('../engine/engine.ts')]);
    const loaded = loadConfig({
      cwd: process.cwd(),
      file: flags.config as string | undefined,
      environment: process.env,
      flags: settingsOfFlags(flags),
    });
    if ('storage-url' in this.ctor.flags) await noteBaseAbove(loaded, screen);
    Object.assign(process.env, loaded.environment); // what .env adds is for the providers' drivers
    const tracer = await tracerOf(loaded, screen);
    const engine = createEngine({ config: loaded.config, home: loaded.home, cwd: process.cwd(), surface, tracer });
    const { signal, release } = interruptible();
    try {
      await work({ loaded, engine, screen, tracer, signal, flags });
    } finally {
      release();
      await (signal.aborted ? Promise.race([engine.close(), wait(LAST_BREATH)]) : engine.close());
      await tracer?.close();
    }
  }

  /** Runs one operation, shows its progress and its result, and sets the exit code. */
  protected async perform<Name extends OperationName>(
    context: CommandContext,
    name: Name,
    { request, ...show }: Show<Name>,
  ): Promise<ResultOf<Name>> {
    const { engine, screen, signal } = context;
    const options: RunOptions = { signal, lists: show.lists ?? screen.json };
    const { showProgress } = await import('./progress.ts');
    const worked = await showProgress(engine.run(name, request, options), {
      screen,
      title: show.title,
      waiting: show.waiting,
      prints: show.prints,
      onEvent: show.onEvent,
    });
    const result = show.completed?.(worked) ?? worked;
    if (screen.json) screen.printJson(result);
    else show.result?.(result);
    const hasFailed = show.hasFailed ?? ((done) => ((done as { failed?: number }).failed ?? 0) > 0);
    if (hasFailed(result) && !context.flags['allow-failures']) process.exitCode = EXIT.failed;
    return result;
  }
}

/** Opens the tracer if the variables of OpenTelemetry name a collector. */
async function tracerOf({ environment }: LoadedConfig, screen: Screen): Promise<Tracer | undefined> {
  if (!environment.OTEL_EXPORTER_OTLP_ENDPOINT && !environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return undefined;
  const [{ otlpSettings, OtlpTracer }, { packageVersion }] = await Promise.all([
    import('../http/otlp-tracer.ts'),
    import('../core/project.ts'),
  ]);
  const { settings, problem } = otlpSettings(environment, packageVersion());
  if (problem !== undefined) screen.note(problem);
  return settings && new OtlpTracer(settings, screen.note);
}

async function noteBaseAbove(loaded: LoadedConfig, screen: Screen): Promise<void> {
  const { baseAbove } = await import('./base-above.ts');
  const above = baseAbove(loaded);
  if (above !== undefined)
    screen.note(
      `There is no base in this folder yet, but one in ${above}. To use that, run kb there, or write a kb.config.yaml there (kb init).`,
    );
}

function interruptible(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const isSecond = doubleInterrupt();
  const stop = () => {
    if (isSecond()) process.exit(EXIT.interrupted);
    controller.abort(new KbError('aborted', 'Stopped.'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
