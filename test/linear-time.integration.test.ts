import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { lastQuestion, splitQuestion, subjectTerms, topicTerms } from '../src/languages/question.ts';
import { cleanText, removeInvisible, removeTerminalSequences } from '../src/text/clean-text.ts';
import { languageOf } from '../src/languages/detect.ts';
import { packageRoot } from '../src/core/project.ts';
import { queryTerms, searchedTerms } from '../src/text/terms.ts';
import { capitalTerms } from '../src/text/comparison.ts';
import { escapeTags } from '../packages/documents/src/markdown/write.ts';
import { firstHeading } from '../packages/documents/src/parsed-document.ts';
import { locateQuote } from '../src/stages/chat/cited-sources.ts';
import { resolveFollowUp } from '../src/stages/chat/dialogue/resolve-follow-up.ts';
import { CitationFilter } from '../src/stages/chat/guard/citation-filter.ts';
import { plainText, withoutHidden, withoutMarks } from '../src/text/markdown/plain-text.ts';
import { directReply } from '../src/stages/chat/dialogue/intent.ts';
import { LinkFilter } from '../src/stages/chat/guard/link-filter.ts';
import { beginsAsRefusal, isRefusal } from '../src/stages/chat/guard/refusal.ts';
import { CitedSentences } from '../src/stages/chat/guard/cited-sentences.ts';
import { EchoFilter } from '../src/stages/chat/guard/echo-filter.ts';
import { createSupport } from '../src/stages/chat/guard/support.ts';
import { readBlocks } from '../packages/documents/src/markdown/blocks.ts';
import { decodeBlockReferences, decodeReferences } from '../packages/documents/src/markdown/character-references.ts';
import { pageKindOf, passageKindOf } from '../src/text/page-kind.ts';
import { definedTerms } from '../src/stages/quote/answer-type.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { identifierBonus, identifiersIn } from '../src/stages/retrieve/similarity.ts';
import { genericInputs, inputsFor, repeatedInputs, repeats } from '../packages/documents/test/support/growing-inputs.ts';
import { growsFasterThanInput, linearly, readingGrowsFasterThanInput, searching } from '../packages/documents/test/support/linear-time.ts';
import { literalPatterns, type Pattern, recordConstructed } from './support/regular-expressions.ts';

// A text of 100,000 characters keeps the event loop for a minute where one expression takes quadratic time.

/** The modules of the sources that construct regular expressions. */
const constructing = (): string[] =>
  readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts') && !name.endsWith('-worker.ts'))
    .map((name) => join(packageRoot, 'src', name))
    .filter((path) => readFileSync(path, 'utf8').includes('new RegExp('));

/** The expressions that take more than linear time, each with the beginning of a text that shows it. */
function slowOnes(patterns: readonly Pattern[]): string[] {
  const distinct = new Map(patterns.filter(({ regex }) => repeats(regex)).map((pattern) => [String(pattern.regex), pattern]));
  return [...distinct.values()].flatMap(({ regex, where }) => {
    const work = searching(regex);
    const input = [...inputsFor(regex), ...genericInputs].find((growing) => growsFasterThanInput(work, growing));
    return input ? [`${where} ${String(regex)}: ${JSON.stringify(input(24))}`] : [];
  });
}

it('finds quadratic expressions, and passes linear ones', () => {
  const pattern = (regex: RegExp): Pattern => ({ regex, where: 'here' });
  const quadratic = [/\s+$/, /,?\s+and\s/i, /<[^>]*>/g, /(?:a|b)*c/, /\[([^\]]*)\]\(/, /^(.*?)\s*#*$/, /^(?:a+)+$/];
  for (const regex of quadratic) expect(slowOnes([pattern(regex)]), String(regex)).toHaveLength(1);
  expect(slowOnes([/(?<!\s)\s+$/, /^[\s>]*a/, /<[^<>]*>/g, /[\w-]{2,40}:/, /\p{L}+(?!\p{L})/gu].map(pattern))).toEqual([]);
});

it('locates a quotation among many headings in linear time', async () => {
  const text = (size: number) => `The boiler is warm.\n\n${'# boiler\n\n'.repeat(size)}`;
  const location = { headings: ['boiler'], page: 3 };
  expect(await linearly(16_000, (size) => locateQuote(text(size), location, [[0, 0]]))).toMatchObject({ page: 3 });
});

it('finds quadratic work, and passes linear work', async () => {
  await expect(linearly(2000, (size) => /,+$/.test(`${','.repeat(size)}x`))).rejects.toThrow('sixteen times the size');
  expect(await linearly(200_000, (size) => 'a'.repeat(size).replace(/a/g, 'b').length)).toBe(200_000);
});

it('finds every literal', () => {
  const found = literalPatterns();
  expect(found.length).toBeGreaterThan(500);
  expect(found.map(({ where }) => where.split(':')[0])).toContain('src/languages/english.ts');
});

it('has no literal that takes more than linear time', { timeout: 600_000 }, () => {
  expect(slowOnes(literalPatterns())).toEqual([]);
});

it('constructs none that takes more than linear time', { timeout: 600_000 }, async () => {
  vi.resetModules(); // what is imported above has constructed its own already
  const { patterns, stop } = recordConstructed();
  for (const path of constructing()) await import(path);
  stop();
  expect(patterns.length).toBeGreaterThan(20);
  expect(slowOnes(patterns)).toEqual([]);
});

/** How many characters of an answer a model sends at once. */
const PIECE = 12;

function filtered(text: string, filter: { push(piece: string): string; end(): string }): string {
  let shown = '';
  for (let at = 0; at < text.length; at += PIECE) shown += filter.push(text.slice(at, at + PIECE));
  return shown + filter.end();
}

const source = (text: string) => ({ citation: 1, title: 'Pumps', text });

const passage = { id: '1', source: 'pumps.md', metadata: {} };

/** What reads a query, an answer or a document with several expressions, or with those that it makes. */
const readers: Record<string, (text: string) => unknown> = {
  'the terms of a query': (text) => [queryTerms(text), searchedTerms(text), topicTerms(text), subjectTerms(text), capitalTerms(text)],
  'the language of a query': languageOf,
  'the questions in a query': (text) => [splitQuestion({ query: text, question: text }), lastQuestion(text)],
  'the intent of a query': directReply,
  'what a query asks the meaning of': definedTerms,
  'the identifiers in a query': (text) => [identifiersIn(text), identifierBonus(text)?.({ ...passage, text: 'The pump stops.' })],
  'the identifiers in a passage': (text) => identifierBonus('ERR-4042 of v2.3.1')!({ ...passage, text }),
  'what a query brings along': (text) => [
    resolveFollowUp(text, ['How long does the battery last?']),
    resolveFollowUp('And the pump?', [text]),
  ],
  'the citations of an answer': (text) => filtered(text, new CitationFilter(3)),
  'the links of an answer': (text) => filtered(text, new LinkFilter(() => false)),
  'an answer that may be a refusal': (text) => [isRefusal(text, 'pump'), beginsAsRefusal(text)],
  'what an answer repeats of the prompt': (text) => filtered(text, new EchoFilter({ marker: 'abcdef', questions: ['The pump?'] })),
  'the sentences of an answer': async (text) => {
    const sentences = new CitedSentences({ cited: new Set(), count: 1, support: createSupport([source('The pump stops.')]) });
    for (let at = 0; at < text.length; at += PIECE) await sentences.push(text.slice(at, at + PIECE));
    return sentences.push('', true);
  },
  'what a source says': (text) => createSupport([source(text)])('The pump stops at 5 bar [1].', [1]),
  'the sentences of a paragraph': sentencesOf,
  'the title of Markdown': firstHeading,
  'the text of Markdown': (text) => [plainText(text), withoutMarks(text), withoutHidden(text)],
  'the blocks of Markdown': readBlocks,
  'the kind of a page': (text) => [pageKindOf(text), passageKindOf(text, [])],
  'what can be shown and stored': (text) => [
    cleanText(text),
    removeInvisible(text),
    removeTerminalSequences(text),
    decodeReferences(text),
    decodeBlockReferences(text),
    escapeTags(text),
  ],
};

describe('what combines expressions takes linear time to read', () => {
  it.for(Object.entries(readers))('%s', { timeout: 120_000 }, ([, read]) => {
    const slow = repeatedInputs.filter((input) => readingGrowsFasterThanInput(read, input));
    expect(slow.map((input) => input(40))).toEqual([]);
  });
});
