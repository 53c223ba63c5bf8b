import { afterAll, expect, it } from 'vitest';
import { createReader, fileTypes } from '../src/index.ts';
import { isUnclear, mutate, seeded } from './support/mutate.ts';
import { sampleFiles as files } from './support/sample-files.ts';

const ROUNDS = 30;

const types = fileTypes();
const reader = createReader({ processes: 2, seconds: 20, megabytes: 512 });
afterAll(() => reader.close());

/** Are read by OCR, which has to be set up. */
const PICTURES = new Set(['png', 'jpeg', 'webp', 'tiff']);

it('holds files of every kind', () => {
  const kinds = new Set([...PICTURES, ...Object.keys(files).map((name) => types.fileType(name))]);
  expect(types.extensions.filter((extension) => !kinds.has(types.fileType(`a${extension}`)!))).toEqual([]);
});

it.each(Object.keys(files))('reads any mutation of %s, or explains what is wrong with it', async (name) => {
  const whole = Buffer.from(files[name]!);
  const results = await Promise.all(
    Array.from({ length: ROUNDS }, async (_, round) => {
      const bytes = await mutate(whole, seeded(round));
      const read = reader.read(bytes, { name });
      return read.then(
        ({ text }) => (typeof text === 'string' ? undefined : `round ${round}: no text`),
        ({ name: kind, message }: Error) =>
          kind === 'DocumentError' && message.startsWith(name) && !isUnclear(message) ? undefined : `round ${round}: ${kind} ${message}`,
      );
    }),
  );
  expect(results.filter(Boolean)).toEqual([]);
  const { text, members = [] } = await reader.read(whole, { name });
  expect(text || members).not.toHaveLength(0);
});
