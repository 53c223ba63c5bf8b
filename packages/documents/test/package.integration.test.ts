import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createReader, DocumentError, fileTypes, readDocument } from '@citekb/documents';
import { readDate } from '@citekb/documents/dates';
import { readBlocks } from '@citekb/documents/markdown';
import { sampleFiles } from './support/sample-files.ts';

// The package as those use it who have nothing else of kb: by its entry points.

const reader = createReader({ processes: 1, megabytes: 512 });
afterAll(() => reader.close());
const bytesOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(sampleFiles[name]!));

describe('readDocument', () => {
  it('finds the type by the name, else by the content', async () => {
    expect(await readDocument(bytesOf('plan.pdf'), { name: 'plan.pdf' })).toMatchObject({ title: 'Plan', metadata: { pages: 2 } });
    expect((await readDocument(bytesOf('plan.pdf'), { name: 'download' })).file_type).toBe('pdf');
    expect((await readDocument(bytesOf('manual.docx'), { name: 'file.bin' })).text).toContain('# Manual');
    expect(await readDocument(Buffer.from('Only text.'), { name: 'LICENSE' })).toMatchObject({ text: 'Only text.', file_type: 'text' });
    await expect(readDocument(Buffer.from([0, 1, 2, 3]), { name: 'a.bin' })).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('does not change the bytes', async () => {
    for (const name of ['plan.pdf', 'manual.docx', 'page.html', 'mail.eml']) {
      const bytes = bytesOf(name);
      await readDocument(bytes, { name });
      expect(Buffer.from(bytes).equals(Buffer.from(sampleFiles[name]!))).toBe(true);
    }
  });

  it('throws an error with a code and a hint', async () => {
    const error: unknown = await readDocument(new Uint8Array(), { name: 'a.pdf' }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(DocumentError);
    expect(error).toMatchObject({ code: 'no_text', message: 'a.pdf is empty: it has no bytes.', hint: expect.stringMatching(/\.$/) });
    await expect(readDocument(Buffer.from('x'), { name: 'a', file_type: 'x' })).rejects.toMatchObject({ code: 'unknown_type' });
  });
});

describe('createReader', () => {
  it.each(Object.keys(sampleFiles))('reads %s as readDocument does', async (name) => {
    expect(await reader.read(bytesOf(name), { name })).toEqual(await readDocument(bytesOf(name), { name }));
  });

  it('finds the type by the content', async () => {
    expect((await reader.read(bytesOf('talk.pptx'), { name: 'download' })).file_type).toBe('pptx');
  });

  it('rejects with the reason of the signal', async () => {
    const reason = new Error('enough');
    await expect(reader.read(bytesOf('plan.pdf'), { name: 'a.pdf', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('the package', () => {
  it('has entry points for Markdown and dates', () => {
    expect(readBlocks('# Care\n\n- one').map(({ kind, title }) => [kind, title])).toEqual([
      ['heading', 'Care'],
      ['list', ''],
    ]);
    expect(readDate('3. März 2026')).toBe('2026-03-03');
  });

  it('runs outside of the repository, in plain Node', () => {
    const folder = mkdtempSync(join(tmpdir(), 'documents-'));
    try {
      mkdirSync(join(folder, 'node_modules', '@citekb'), { recursive: true });
      symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(folder, 'node_modules', '@citekb', 'documents'), 'dir');
      const script = `const { createReader, readDocument } = await import('@citekb/documents');
        const html = Buffer.from('<h1>Care</h1><p>Oil it.</p>');
        const reader = createReader({ processes: 1 });
        const texts = [await readDocument(html, { name: 'a.html' }), await reader.read(html, { name: 'a.html' })].map(({ text }) => text);
        await reader.close();
        console.log(JSON.stringify(texts));`;
      const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder, encoding: 'utf8' });
      expect(JSON.parse(output)).toEqual(['# Care\n\nOil it.', '# Care\n\nOil it.']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('lists its formats in the README', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const unnamed = [
      'pdf',
      'docx',
      'pptx',
      'xlsx',
      'xls',
      'odt',
      'ods',
      'odp',
      'rtf',
      'epub',
      'html',
      'csv',
      'json',
      'xml',
      'zip',
      'mbox',
    ].filter((type) => !new RegExp(`\\b${type}\\b`, 'i').test(readme));
    expect(unnamed).toEqual([]);
    expect(fileTypes().extensions.length).toBeGreaterThan(50);
  });
});
