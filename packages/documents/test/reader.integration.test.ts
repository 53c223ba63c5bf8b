import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createReader, fileTypes, type Reader } from '../src/index.ts';
import { prepareReader } from '../src/process/prepare.ts';
import { docxFile, pptxFile, wordParagraph, xlsxFile } from './support/files.ts';
import { pdfFile } from './support/pdf-file.ts';
import { slowHtml } from './support/slow-html.ts';

const opened: Reader[] = [];
const open = (limits: Partial<{ processes: number; seconds: number; megabytes: number }> = {}): Reader => {
  const reader = createReader({ processes: 1, seconds: 60, megabytes: 512, ...limits });
  opened.push(reader);
  return reader;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((reader) => reader.close()));
});

const read = (reader: Reader, name: string, content: string | Uint8Array, signal?: AbortSignal) =>
  reader.read(Buffer.from(content as string), { name, signal });

/** Three million cells. */
const huge = `${'a,b,c,d,e,f,g,h,i,j\n'.repeat(300_000)}`;

// Where other programs leave a process less than a quarter of a processor, the clock stops it before its processor time does.

describe('the reader', () => {
  it('recognizes file types by their extensions', () => {
    const reader = fileTypes();
    expect(['a.PDF', 'b/c.md', 'd.htm', 'e.tsv', 'f.mp4', 'README'].map((path) => reader.fileType(path))).toEqual([
      'pdf',
      'markdown',
      'html',
      'csv',
      undefined,
      undefined,
    ]);
    expect(reader.extensions).toEqual(expect.arrayContaining(['.pdf', '.docx', '.pptx', '.xlsx', '.md', '.html', '.txt', '.csv']));
  });

  it('reads every file type in a separate process', async () => {
    const reader = open({ processes: 2 });
    const files = {
      'a.pdf': pdfFile([['needle']]),
      'b.docx': docxFile(wordParagraph('needle')),
      'c.pptx': pptxFile([{ title: 'needle' }]),
      'd.xlsx': await xlsxFile([{ name: 'S', cells: { A1: 'needle', B1: 'x' } }]),
      'e.md': '# needle\n',
      'f.html': '<p>needle</p>',
      'g.txt': 'needle',
      'h.csv': 'needle,x\n1,2\n',
    };
    const texts = await Promise.all(Object.entries(files).map(async ([name, content]) => (await read(reader, name, content)).text));
    expect(texts.map((text) => text.includes('needle'))).toEqual(Array(8).fill(true));
  });

  it('does not take the bytes from the caller', async () => {
    const bytes = new Uint8Array(Buffer.from('# Kept\n'));
    await open().read(bytes, { name: 'a.md' });
    expect(Buffer.from(bytes).toString()).toBe('# Kept\n');
  });

  it('explains what is wrong with a file, with a code and a hint', async () => {
    const reader = open();
    await expect(read(reader, 'a.pdf', '%PDF-1.7\nbroken')).rejects.toMatchObject({
      name: 'DocumentError',
      code: 'invalid',
      hint: expect.stringContaining('save it again'),
    });
    await expect(read(reader, 'b.docx', Buffer.from('89504e470d0a1a0a', 'hex'))).rejects.toMatchObject({
      code: 'invalid',
      hint: 'Give it a name that ends in .png.',
    });
    expect((await read(reader, 'c.md', 'Fine.')).text).toBe('Fine.');
  });

  it('gives up a file that takes too long, and keeps working', async () => {
    const reader = open({ seconds: 6 });
    const [late, next] = await Promise.allSettled([read(reader, 'slow.html', slowHtml), read(reader, 'next.html', '<p>Next.</p>')]);
    expect(late).toMatchObject({
      reason: { code: 'too_large', message: expect.stringMatching(/^slow\.html was not read within (?:6 s of processor time|24 s)\.$/) },
    });
    expect(next).toMatchObject({ value: { text: 'Next.' } });
  });

  it.skipIf(process.platform !== 'linux')('waits longer for a file while other programs use the processor, up to a limit', async () => {
    const reader = open({ seconds: 2 });
    await read(reader, 'first.html', '<p>First.</p>');
    const [child] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).slice(-1).map(Number);
    process.kill(child!, 'SIGSTOP');
    const waiting = read(reader, 'waiting.html', '<p>Waited for.</p>');
    setTimeout(() => process.kill(child!, 'SIGCONT'), 3000);
    expect((await waiting).text).toBe('Waited for.');
    process.kill(child!, 'SIGSTOP');
    await expect(read(reader, 'stuck.html', '<p>Stuck.</p>')).rejects.toMatchObject({ message: 'stuck.html was not read within 8 s.' });
  });

  it('gives up a file that takes too much memory, and keeps working', async () => {
    const reader = open({ megabytes: 32 });
    const [large, next] = await Promise.allSettled([read(reader, 'huge.csv', huge), read(reader, 'next.html', '<p>Next.</p>')]);
    expect(large.status).toBe('rejected'); // said first, lest the text be printed
    expect(large).toMatchObject({ reason: { code: 'too_large', message: 'huge.csv needs more than 32 MiB of memory to be read.' } });
    expect(next).toMatchObject({ value: { text: 'Next.' } });
  });

  it('reads short texts in this process, even if no other can be started', async () => {
    const reader = open({ megabytes: 1 }); // of which no process starts
    expect((await read(reader, 'a.md', '---\ntitle: Pumps\n---\n# Seals\n')).title).toBe('Pumps');
    expect((await read(reader, 'b.txt', 'Text.')).text).toBe('Text.');
    await expect(read(reader, 'c.html', '<p>c</p>')).rejects.toMatchObject({ message: expect.stringContaining('c.html') });
  });

  it('gives up Markdown whose front matter takes too long or too much memory, and keeps working', async () => {
    const blank = `---\na: b\n${'\n'.repeat(1_000_000)}---\n# Body\n`; // gray-matter looks for comments behind each of these lines
    const slow = open({ seconds: 6 });
    await expect(read(slow, 'blank.md', blank)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/^blank\.md was not read within (?:6 s of processor time|24 s)\.$/),
    });
    expect((await read(slow, 'next.html', '<p>Next.</p>')).text).toBe('Next.');
    const small = open({ megabytes: 32 });
    const outcome = await read(small, 'large.md', `# Large\n${'a\r\n'.repeat(30_000_000)}`).then(({ text }) => text, String); // 90 MB, which no report should print
    expect(outcome.slice(0, 200)).toBe('DocumentError: large.md needs more than 32 MiB of memory to be read.');
  });

  it('gives up XML of an API that takes too much memory, and otherwise returns its value', async () => {
    const reader = open({ megabytes: 32 });
    const value = (xml: string) =>
      reader.read(Buffer.from(xml), { name: 'http://api.example/', file_type: 'xml-value' }).then((parsed) => parsed.value, String);
    expect(await value(`<r>${'<a/>'.repeat(1_000_000)}</r>`)).toBe(
      'DocumentError: http://api.example/ needs more than 32 MiB of memory to be read.',
    );
    expect(await value('<r><a>1</a><a/></r>')).toEqual({ a: ['1', ''] });
  });

  it('stops within a file and before one when it is aborted', async () => {
    const reader = open();
    const stop = new AbortController();
    const running = read(reader, 'slow.html', slowHtml, stop.signal);
    const waiting = read(reader, 'waiting.html', '<p>Text.</p>', stop.signal);
    setTimeout(() => stop.abort(), 300);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect((await read(reader, 'next.html', '<p>Next.</p>')).text).toBe('Next.');
  });

  it('refuses a page with too much markup, and gives the reason', async () => {
    await expect(read(open(), 'deep.html', '<div>'.repeat(200_000))).rejects.toMatchObject({
      code: 'invalid',
      message: 'deep.html cannot be read as an HTML page: it nests more than 50000 elements.',
    });
  });

  it('aborts its work when it is closed', async () => {
    const reader = open();
    const running = read(reader, 'slow.html', slowHtml).catch((error: unknown) => error);
    await reader.close();
    expect(await running).toMatchObject({ code: 'closed' });
    await expect(read(reader, 'next.html', '<p>Next.</p>')).rejects.toMatchObject({ code: 'closed' });
  });

  it('reads the other documents of a batch if one crashes the process', async () => {
    const reader = open({ processes: 2, megabytes: 96 });
    const outcomes = await Promise.allSettled([
      read(reader, 'a.md', '# A'),
      read(reader, 'huge.csv', huge),
      read(reader, 'b.md', '# B'),
      read(reader, 'c.html', '<p>C</p>'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining('huge.csv') } });
  });

  it('reads small documents of any type that come at once in one process', async () => {
    const reader = open({ processes: 4 });
    let started = 0;
    const count = () => void started++;
    subscribe('child_process', count);
    onTestFinished(() => void unsubscribe('child_process', count));
    const files = {
      'a.csv': 'Key,Word\n1,Anchor\n',
      'b.html': '<p>Anchor</p>',
      'c.json': '{"word": "Anchor"}',
      'd.eml': 'From: d@d.example\nSubject: Anchor\n\nText',
      'e.docx': docxFile(wordParagraph('Anchor')),
    };
    const reading = Object.entries(files).map(async ([name, content], i) => {
      await new Promise((resolve) => setTimeout(resolve, i)); // the files of a folder come one after another
      return (await read(reader, name, content)).text;
    });
    for (const text of await Promise.all(reading)) expect(text).toContain('Anchor');
    expect(started).toBe(1);
  });

  it('takes a process that was prepared with its limit', async () => {
    let started = 0;
    const count = () => void started++;
    subscribe('child_process', count);
    onTestFinished(() => void unsubscribe('child_process', count));
    prepareReader('a.html', 300);
    expect(started).toBe(1);
    expect((await read(open({ megabytes: 301 }), 'a.html', '<p>a</p>')).text).toBe('a');
    expect(started).toBe(2);
    const prepared = open({ megabytes: 300 });
    for (const name of ['a.html', 'b.html']) expect((await read(prepared, name, '<p>a</p>')).text).toBe('a');
    expect(started).toBe(2);
  });

  it('can be closed before it has read anything', async () => {
    await expect(open().close()).resolves.toBeUndefined();
  });
});
