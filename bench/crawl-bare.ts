// What a crawl costs at least, with nothing around it: fetch eight pages at once, read each with readability, go on along its links.
//   node bench/crawl-bare.ts URL
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';

const start = new URL(process.argv[2]!).href;
const met = new Set([start]);
const waiting = [start];
let pages = 0;
let characters = 0;

async function read(url: string): Promise<void> {
  const html = await (await fetch(url)).text();
  const { document } = parseHTML(html);
  for (const link of document.querySelectorAll('a[href]')) {
    const address = new URL(link.getAttribute('href')!, url).href;
    if (met.has(address)) continue;
    met.add(address);
    waiting.push(address);
  }
  characters += new Readability(document as never).parse()?.textContent?.length ?? 0;
  pages++;
}

const running = new Set<Promise<void>>();
while (waiting.length > 0 || running.size > 0) {
  while (waiting.length > 0 && running.size < 8) {
    const job = read(waiting.shift()!).finally(() => running.delete(job));
    running.add(job);
  }
  await Promise.race(running);
}
console.log(JSON.stringify({ pages, characters }));
