import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { documentOf } from './markdown.ts';
const N = 3e6; const rep = (s: string) => s.repeat(Math.ceil(N / s.length));
const cases: Record<string, [string, any?]> = {
  x: [rep('x')], words: [rep('word ')], sentences: [rep('The pump is off. ')], cjk: [rep('水泵停止。')], cjkBare: [rep('水泵停止')], thai: [rep('ไม่มีช่องว่าง')], emoji: [rep('👩‍👩‍👧‍👦')], combining: ['e' + rep('\u0301')],
  lines: [rep('a line of log without an end\n')], csv: ['| a | b |\n|---|---|\n' + rep('| some cell | other cell |\n'), [{ at: 0, row: 1, line: 1 }]],
  giantRow: ['| a | b |\n|---|---|\n| ' + rep('cell words ') + '|\n| x | y |', [{ at: 0, row: 1 }]], fence: ['```js\n' + rep('const a = 1;\n') + '```'], fenceGiant: ['```js\n' + rep('const a=1;') + '\n```'], fenceOpen: ['```js\n' + rep('const a=1; ')],
  list: [rep('- item of list\n')], giantItem: ['- ' + rep('item words ')], nested: [rep('  - item of list\n    more\n')], comments: [rep('<!-- a\n\n')], pre: [rep('<pre>\n\n')], headings: [rep('## A\n\n')], headingsShort: [rep('## A\n\nshort text\n\n')], blank: ['a' + rep('\n') + 'b'], spaces: ['a' + rep(' ') + 'b'],
  giantHeading: ['# ' + rep('title words ') + '\n\ntext'], hashes: ['# ' + rep('# ') + 'x'], brackets: [rep('[')], brackets2: [rep('[a](')], pipes: [rep('|')], dashes: [rep('-')], dashpipe: [rep('-|')], stars: [rep('* ')], setext: [rep('abc\n---\n')], ticks: [rep('`')], ticklines: [rep('```\n')], quotes: [rep('> a\n')], dots: [rep('.')], dotsp: [rep('. ')], crlf: [rep('line of text\r\n\r\n')], tables: [rep('| a |\n|---|\n| b |\n\n')], tabs: [rep('\t')+'x'], lt: [rep('<a ')], nbsp: [rep('\u00a0')+'x'], under: [rep('_ ')], backslash: [rep('\\|')], rowEmpty: ['|a|b|\n|-|-|\n'+rep('|')],
  numbers: [rep('1. ')], quoteclose: [rep('."')], manyH: [rep('# a b\n')], comment: ['<!--' + rep(' a') + '-->'],
};
for (const [name, [text, marks]] of Object.entries(cases)) {
  if (process.argv[2] && process.argv[2] !== name) continue;
  for (const chunking of [{ chunk_size: 1000, chunk_overlap: 100, min_chunk_length: 100 }]) {
    const t = process.cpuUsage(); const chunks = chunkDocument(documentOf(text, { marks }), chunking); const ms = process.cpuUsage(t).user / 1000;
    const last = chunks.at(-1);
    console.log(name.padEnd(14), String(Math.round(ms)).padStart(6) + ' ms', chunks.length, 'max', chunks.reduce((m, c) => Math.max(m, c.text.length), 0), 'emb', chunks.reduce((m, c) => Math.max(m, c.embed_text!.length), 0), JSON.stringify(last?.metadata.location).slice(0,120));
  }
}
