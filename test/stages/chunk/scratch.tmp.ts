import fc from 'fast-check';
import { writeFileSync, writeSync } from 'node:fs';
import { chunkDocument } from '../../../src/stages/chunk/chunk.ts';
import { chunkings, documentOf, markdown } from './markdown.ts';
const solid = (t: string) => t.replace(/\s/g, '');
function isWithin(part: string, whole: string) { let at = 0; for (let i = 0; i < part.length; i++, at++) { at = whole.indexOf(part[i]!, at); if (at < 0) return false; } return true; }
let n = 0; let slow = 0; const t0 = Date.now();
fc.assert(fc.property(markdown, chunkings, (text, chunking) => {
  writeFileSync('/tmp/last.json', JSON.stringify({ text, chunking }));
  const t = performance.now();
  const chunks = chunkDocument(documentOf(text), chunking);
  slow = Math.max(slow, performance.now() - t);
  if (++n % 2000 === 0) writeSync(1, `${n} ${slow}\n`);
  if (!isWithin(solid(text), solid(chunks.map((c) => c.text).join('')))) throw new Error('lost');
  const framed = /[`~]{3}|\|/.test(text);
  const most = chunking.chunk_size + (framed ? chunking.min_chunk_length + chunking.chunk_size / 2 + 8 : 0);
  for (const c of chunks) {
    if (c.text.length > most) throw new Error(`long ${c.text.length}`);
    if (!c.text.isWellFormed()) throw new Error('broken');
    if (chunks.length > 1 && !text.includes('\r') && c.text.length < chunking.min_chunk_length) throw new Error(`short ${c.text.length}: ${c.text}`);
  }
  if (new Set(chunks.map((c) => c.id)).size !== chunks.length) throw new Error('ids');
  const bare = chunkDocument(documentOf(text), { ...chunking, chunk_overlap: 0 });
  if (!framed && solid(bare.map((c) => c.text).join('')) !== solid(text)) throw new Error('twice');
}), { numRuns: 30000, interruptAfterTimeLimit: 100000, seed: +(process.argv[2] ?? 1) });
writeSync(1, `done ${n} ${Date.now() - t0}\n`);
