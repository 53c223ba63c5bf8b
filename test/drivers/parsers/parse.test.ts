import { expect, test } from 'vitest';
import { read } from './read.ts';

test('a title or a property of megabytes is cut: each chunk would hold it', async () => {
  const long = 'word '.repeat(300_000);
  const page = await read(
    'html',
    `<html><head><title>${long}</title><meta name="description" content="${long}"></head><body><p>Text.</p></body></html>`,
  );
  expect(page.title).toHaveLength(1_000);
  for (const value of Object.values(page.metadata)) expect(JSON.stringify(value).length).toBeLessThan(100_010);
  const { title } = await read('markdown', `# ${'x'.repeat(5_000)}\n`);
  expect(title).toHaveLength(200);
});
