// Another machine with kb on it, for the tests: node machine-process.ts SETTINGS, with `home` and `settings` as JSON. Each line on standard input is
// `operation`, `request` and `collection` as JSON; each is answered by a line with `result` or `error`.
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { KbError } from '../../src/core/errors.ts';
import { collect } from '../../src/core/run.ts';
import { type Layer, mergeLayers } from '../../src/core/settings.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import type { OperationName, RequestOf } from '../../src/schema/operations.ts';

interface Order<Name extends OperationName = OperationName> {
  operation: Name;
  request: RequestOf<Name>;
  collection: string;
}

const { home, settings } = JSON.parse(process.argv[2]!) as { home: string; settings: Layer };

async function answer({ operation, request, collection }: Order): Promise<object> {
  const engine = createEngine({ config: Config.parse(mergeLayers(DEFAULTS, mergeLayers(settings, { collection }))), home });
  try {
    return { result: (await collect(engine.run(operation, request))).result };
  } catch (error) {
    if (!(error instanceof KbError)) throw error;
    return { error: { code: error.code, message: error.message } };
  } finally {
    await engine.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answered = await answer(JSON.parse(line) as Order);
  flushCompileCache(); // the tests kill this process, and start many
  process.stdout.write(`${JSON.stringify(answered)}\n`);
}
