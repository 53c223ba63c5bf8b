// One of several machines that write into one collection on S3, for the tests: node s3-writer-process.ts SETTINGS. SETTINGS is JSON: `home`, `url`, `options`,
// `name`. For each line on standard input, the number of a round, it ingests what all write and what only it writes, and answers with that line.
import { createInterface } from 'node:readline';
import { mergeLayers } from '../../src/core/settings.ts';
import { collect } from '../../src/core/run.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';

interface Settings {
  home: string;
  url: string;
  options: Record<string, string>;
  name: string;
}
const { home, url, options, name } = JSON.parse(process.argv[2]!) as Settings;
const config = Config.parse(mergeLayers(DEFAULTS, { embedding: { provider: 'none' }, storage: { url, options } }));
const engine = createEngine({ config, home });

for await (const round of createInterface({ input: process.stdin })) {
  const markdown = [
    { source: 'all', text: `All write this in round ${round}.` },
    { source: `all-${round}`, text: `All write this in round ${round} alone.` },
    { source: `${name}-${round}`, text: `The writer ${name} writes this in round ${round}.` },
  ];
  const { result } = await collect(engine.run('ingest', { markdown }));
  if (result.failed > 0) throw new Error(JSON.stringify(result.errors));
  process.stdout.write(`${round}\n`);
}
await engine.close();
