import { expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import {
  advice,
  call,
  field,
  withWording,
  optionalAdvice,
  formatHint,
  setting,
  operatorAdvice,
  type Wording,
} from '../../../src/core/advice/advice.ts';
import { commandLineWording } from '../../../src/core/advice/wordings.ts';
import { httpWording } from '../../../src/server/routes.ts';

const reader = { name: 'reader', scopes: ['read' as const], collections: ['*'] };
const wordings = {
  cli: commandLineWording,
  chat: httpWording('chat', {}),
  ingest: httpWording('ingest', {}),
  reader: httpWording('chat', { access: reader }),
};
const said = (hint: Parameters<typeof formatHint>[0], names: readonly (keyof typeof wordings)[]) =>
  Object.fromEntries(names.map((name) => [name, withWording(wordings[name] satisfies Wording, () => formatHint(hint))]));

it('words a setting as the reader can set it', () => {
  expect(said(advice`Set ${setting('retrieval.top_k', '20')}.`, ['cli', 'chat', 'ingest'])).toEqual({
    cli: 'Set --top-k 20 (retrieval.top_k).',
    chat: 'Set top_k: 20.',
    ingest: 'For the operator: set retrieval.top_k: 20.',
  });
  expect(said(advice`Set ${setting('ingestion.docs.follow_links', 'true')}.`, ['cli', 'ingest'])).toEqual({
    cli: 'Set --follow-links (ingestion.docs.follow_links: true).',
    ingest: 'Set ingestion.docs.follow_links: true.',
  });
  expect(said(advice`Set ${setting('chat.llm.timeout')}.`, ['cli', 'chat'])).toEqual({
    cli: 'Set chat.llm.timeout.',
    chat: 'For the operator: set chat.llm.timeout.',
  });
});

it('words an operation as the reader can run it', () => {
  const make = advice`Make it: ${call('ingest', { docs: 'FOLDER', collection: 'x' })}.`;
  expect(said(make, ['cli', 'ingest', 'reader'])).toEqual({
    cli: 'Make it: kb ingest --docs FOLDER --collection x.',
    ingest: 'Make it: POST /v1/pipelines/ingest {"docs": "FOLDER", "storage": {"collection": "x"}}.',
    reader: 'For the operator: make it: kb ingest --docs FOLDER --collection x.',
  });
  expect(said(advice`${call('drop_collection', { name: 'x' })} removes it.`, ['cli', 'ingest'])).toEqual({
    cli: 'kb collections drop x removes it.',
    ingest: 'DELETE /v1/collections/x removes it.',
  });
  expect(said(advice`${call('delete', { ids: ['a b'] })}`, ['cli', 'ingest'])).toEqual({
    cli: 'kb delete --id a b',
    ingest: 'POST /v1/delete {"ids": ["a b"]}',
  });
});

it('leaves out optional advice that an interface has no words for, and marks advice for the operator', () => {
  expect(said(['Fix it.', optionalAdvice`${field('force')} reads all.`], ['cli', 'ingest', 'chat'])).toEqual({
    cli: 'Fix it. --force reads all.',
    ingest: 'Fix it. force reads all.',
    chat: 'Fix it.',
  });
  expect(said(operatorAdvice`Set KEY.`, ['cli', 'chat'])).toEqual({ cli: 'Set KEY.', chat: 'For the operator: set KEY.' });
  expect(formatHint(advice`${setting('ingestion.docs.ocr', 'auto')}, outside of a run`)).toBe('ingestion.docs.ocr: auto, outside of a run');
});

it('all hints outside the command line use advice to name commands and flags', () => {
  const outside = /^(?:cli\/|config\/|server\/(?:serve|token-file)\.ts)/; // what starts kb, which only its operator reads
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && !outside.test(path));
  const plain =
    /hint:[^\n]*(?<!advice|optionalAdvice|operatorAdvice)[`'](?:[^`'$]|\$\{[^}]*\})*(?:(?<![\w-])kb [a-z]+(?:-[a-z]+)?\b(?! then)|(?<=\s)--[a-z])/;
  const found = files.flatMap((path) =>
    readFileSync(`src/${path}`, 'utf8')
      .split('\n')
      .filter((line) => plain.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
