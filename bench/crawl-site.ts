// A site of pages that link to each other, in a process of its own; it prints its address: node bench/crawl-site.ts [--pages 2000]
// Each page has a menu, a footer, three sections and thirty links, about 8 KB. It tells nobody to come again: no ETag, no dates.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { random, sentence } from './manual.ts';

const { values } = parseArgs({ options: { pages: { type: 'string', default: '2000' } } });
const pages = Number(values.pages);
const LINKS = 30;

function page(index: number): string {
  const next = random(index + 1);
  const paragraph = () => `<p>${Array.from({ length: 6 }, () => sentence(next)).join(' ')}</p>`;
  const links = Array.from({ length: LINKS }, (_, i) => (index * LINKS + i + 1) % pages).map(
    (to) => `<li><a href="/page/${to}">Handbook ${to}</a></li>`,
  );
  const sections = [1, 2, 3].map((number) => `<h2 id="s${number}">Section ${number}</h2>${paragraph()}${paragraph()}`);
  return `<!doctype html><html lang="en"><head><title>Handbook ${index}</title></head><body>
<header><nav><ul><li><a href="/page/0">Start</a></li><li><a href="/page/1">Products</a></li></ul></nav></header>
<main><article><h1>Handbook ${index}</h1>${sections.join('')}</article><aside><ul>${links.join('')}</ul></aside></main>
<footer><p>All rights reserved.</p></footer></body></html>`;
}

const server = createServer((request, response) => {
  const index = /^\/page\/(\d+)$/.exec(request.url!)?.[1];
  if (index === undefined || Number(index) >= pages) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(Number(index)));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
