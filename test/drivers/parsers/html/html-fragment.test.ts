import { expect, test } from 'vitest';
import { parseDocument } from '../../../../src/drivers/parsers/parse.ts';
import { parsers } from '../../../../src/drivers/parsers/parsers.ts';

const parse = (html: string, source = 'https://api.example/posts#record=1') =>
  parseDocument({ bytes: Buffer.from(html), source, file_type: 'html-fragment' });

test('a fragment is content as a whole, with absolute links and in UTF-8', async () => {
  const { text, metadata, page } = await parse('<footer>Ünder the <a href="/roof">roof</a></footer><p>Text</p><script>no</script>');
  expect(text).toBe('Ünder the [roof](https://api.example/roof)\n\nText');
  expect([metadata, page]).toEqual([{}, undefined]);
});

test('a fragment without text is an error, and no file is taken for one', async () => {
  await expect(parse('<p><img src="x.png"></p>')).rejects.toMatchObject({ code: 'invalid' });
  expect(parsers.find(({ file_type }) => file_type === 'html-fragment')!.extensions).toEqual([]);
});
