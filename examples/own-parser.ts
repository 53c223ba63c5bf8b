// kb in a program of one's own, with a parser for files that kb does not know: subtitles.
//   node examples/own-parser.ts FOLDER "What is said about the pump?"
import { createEngine, DEFAULTS, type Parser, settle } from 'citekb';

/** Reads SubRip files. Each cue becomes a paragraph, the minute that it stands in a heading, so that a passage says where it is. */
const subtitles = (): Parser => ({
  file_type: 'subtitles',
  extensions: ['.srt'],
  parse: async (bytes, { source }) => {
    const cues = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n').trim().split(/\n{2,}/);
    const minutes = Map.groupBy(cues, (cue) => /^(\d\d:\d\d):\d\d,\d{3} -->/m.exec(cue)?.[1]);
    if (minutes.has(undefined)) throw new Error('a cue has no time');
    const words = (cue: string) => cue.split('\n').slice(2).join(' ');
    const text = [...minutes].map(([minute, inside]) => `## Minute ${minute}\n\n${inside.map(words).join(' ')}`).join('\n\n');
    return { text, title: source.split('/').at(-1)!, metadata: { cues: cues.length } };
  },
});

const [home = '.', query = 'What is said?'] = process.argv.slice(2);
const engine = createEngine({ config: { ...DEFAULTS, collection: 'films' }, home, parsers: { subtitles } });
try {
  const report = await settle(engine.run('ingest', { docs: { folder: '.' } }));
  for (const { source, error } of report.errors) console.error(`${source}: ${error}`);
  const { items } = await settle(engine.run('retrieve', { query, top_k: 1 }));
  for (const { text, metadata } of items) console.log(`${metadata.source}\n${text}`);
} finally {
  await engine.close();
}
