// Embeds a long text with the bundled model in a process of its own, for the tests.
import { openLocalEmbedder } from '../../src/drivers/embedders/local-embedder.ts';

const embedder = await openLocalEmbedder({ threads: 2 });
const [vector] = await embedder.embed(['warranty boilers '.repeat(1500)], { input_type: 'query' });
process.stdout.write(`${vector!.length}\n`);
await embedder.close();
