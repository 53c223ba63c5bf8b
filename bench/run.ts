// Measures, and writes the tables of docs/benchmarks.md:
//   npm run bench -- [startup] [ingest] [memory] [parsing] [server] [load] [crawl] [retrieval] [follow-ups] [declining] [answers] [extraction] [documents] [stores] [--sets FOLDER…] [--declining SET OTHER…]
//     [--pages FOLDER…] [--documents FOLDER…] [--qdrant URL] [--to FILE]
// Without words, all parts for which there is something to measure. Folders are retrieval sets in BEIR layout: those of --sets are searched
// (`retrieval`), the first of --declining is asked the questions of the others (`declining`, `answers`); --pages are sets of
// web pages (`extraction`), --documents of files (`documents`); --qdrant is a Qdrant server to measure beside LanceDB (`stores`). What is not measured now keeps its table.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaced } from './page.ts';
import { execaSync } from 'execa';

interface Part {
  title: string;
  about: string;
  script: string;
  args?: readonly string[];
  /** Folders that are given behind `args`; without any, there is nothing to measure. */
  folders?: readonly string[];
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** The words of a command line, and the values of each of its options. */
function given(argv: readonly string[]): Map<string, string[]> {
  const lists = new Map<string, string[]>([['', []]]);
  let name = '';
  for (const word of argv) {
    if (word.startsWith('--')) lists.set((name = word), []);
    else lists.get(name)!.push(word);
  }
  const unknown = [...lists.keys()].find(
    (option) => !['', '--sets', '--declining', '--pages', '--documents', '--qdrant', '--to'].includes(option),
  );
  if (unknown) throw new Error(`There is no option ${unknown}: --sets, --declining, --pages, --documents, --qdrant, --to.`);
  return lists;
}

interface Folders {
  sets: readonly string[];
  declining: readonly string[];
  pages: readonly string[];
  documents: readonly string[];
  /** The address of a server. */
  qdrant: readonly string[];
}

/** Parts that make what they measure. */
const OWN: Record<string, Part> = {
  startup: { title: 'Start-up', about: 'A process of its own each, alternating with a Node that does nothing.', script: 'startup.ts' },
  ingest: {
    title: 'Ingest',
    about:
      'Generated Markdown files of three sections, from the start of the process to its end, beside the bundled model alone over the same chunks.',
    script: 'ingest.ts',
  },
  memory: { title: 'Memory', about: 'The peak of the process for ten times as many files, without vectors.', script: 'memory.ts' },
  parsing: {
    title: 'Parsing',
    about:
      'Short texts are parsed in the process itself, other documents in processes of their own; beside worker threads with the same parsers. Both warm, one after another in each round.',
    script: 'parsing.ts',
  },
  server: {
    title: 'Server',
    about:
      'About 5,000 chunks; eight questions at once, put to the engine in one process and to `kb serve` in another on the same machine; then 10,000 more, hybrid.',
    script: 'server.ts',
  },
  load: {
    title: 'Load',
    about:
      'About 5,000 chunks behind `kb serve`, asked by 200 clients for ten minutes, each without a pause; clients and server on the same machine.',
    script: 'load.ts',
  },
  crawl: {
    title: 'Crawl',
    about:
      'A site of 2,000 pages that another process serves on the same machine, crawled from the start of the process to its end, beside a bare loop that fetches eight pages at once and reads each with readability.',
    script: 'crawl.ts',
  },
  'follow-ups': {
    title: 'Follow-ups',
    about:
      'Questions over the example manuals that only make sense after what was said before, as they are and rewritten without a model. Of the first 44 conversations, the last 14 were written after the rewriting was finished; the 12 behind them are chains of three and four questions, written together with it.',
    script: 'follow-ups.ts',
  },
};

const partsOf = ({ sets, declining, pages, documents, qdrant }: Folders): Record<string, Part> => ({
  ...OWN,
  retrieval: {
    title: 'Retrieval',
    about:
      'Public retrieval sets in BEIR layout, chunked, embedded and searched as the defaults say; a document stands where its best chunk does.',
    script: 'retrieval.ts',
    args: ['--mode', 'hybrid,vector,text'],
    folders: sets,
  },
  declining: {
    title: 'Declining',
    about: "How well the best hit's score tells a collection's own questions from those of other sets.",
    script: 'declining.ts',
    folders: declining,
  },
  answers: {
    title: 'Answers without a model',
    about:
      'What chat answers and declines by default in mode return_no_answer, of every other question; weights and thresholds were chosen on the rest.',
    script: 'answers.ts',
    args: ['--mode', 'hybrid,vector,text'],
    folders: declining,
  },
  extraction: {
    title: 'Text of web pages',
    about:
      'Pages of public sets, whose text is known, or phrases that belong to it and others that do not; beside Readability and defuddle, all made into Markdown in the same way.',
    script: 'extraction.ts',
    folders: pages,
  },
  documents: {
    title: 'Documents',
    about:
      'Files whose content is known, beside the libraries that read one kind each: words as bags, without markup; speed in files by second of the processor, one after another, warm.',
    script: 'documents.ts',
    folders: documents,
  },
  stores: {
    title: 'Stores',
    about:
      'About 5,000 chunks in LanceDB and in a Qdrant server on the same machine, asked the same questions in turn by one process: each for the first time, then all once more.',
    script: 'stores.ts',
    args: ['--qdrant', ...qdrant],
    ...(qdrant.length === 0 && { folders: [] }),
  },
});

/** The option that gives what a part needs. */
const optionOf = (name: string): string =>
  ({ retrieval: '--sets FOLDER…', extraction: '--pages FOLDER…', documents: '--documents FOLDER…', stores: '--qdrant URL' })[name] ??
  '--declining FOLDER…';

/** The command with the names of the sets, wherever they lie. */
const spelled = ({ script, args = [], folders = [] }: Part): string =>
  ['node', `bench/${script}`, ...folders.map((folder) => basename(folder)), ...args].join(' ');

const machine = (): string =>
  `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;

/** Measures a part: its section of the page. */
function measured(part: Part): string {
  const { title, about, script, args = [], folders = [] } = part;
  const words = [resolve(root, 'bench', script), ...folders.map((folder) => resolve(folder)), ...args];
  const { stdout } = execaSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const today = new Date().toISOString().slice(0, 10);
  return [`## ${title}`, about, `\`\`\`sh\n${spelled(part)}\n\`\`\``, `${machine()}; ${today}.`, stdout.trim()].join('\n\n');
}

function main(): void {
  const lists = given(process.argv.slice(2));
  const folders = (option: string) => lists.get(option) ?? [];
  const parts = partsOf({
    sets: folders('--sets'),
    declining: folders('--declining'),
    pages: folders('--pages'),
    documents: folders('--documents'),
    qdrant: folders('--qdrant'),
  });
  const words = lists.get('')!;
  const unknown = words.find((word) => !(word in parts));
  if (unknown) throw new Error(`There is no part "${unknown}": ${Object.keys(parts).join(', ')}.`);
  const page = resolve(lists.get('--to')?.[0] ?? resolve(root, 'docs', 'benchmarks.md'));
  for (const [name, part] of Object.entries(parts)) {
    if (words.length > 0 ? !words.includes(name) : part.folders?.length === 0) continue;
    if (part.folders?.length === 0) throw new Error(`"${name}" needs ${optionOf(name)}`);
    const section = measured(part);
    mkdirSync(dirname(page), { recursive: true });
    writeFileSync(page, replaced(existsSync(page) ? readFileSync(page, 'utf8') : undefined, name, section));
    process.stderr.write(`${section}\n\n`);
  }
}

main();
