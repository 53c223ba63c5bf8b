import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GroundingSource } from '../../../src/ports/models.ts';
import { openQuoteLlm } from '../../../src/stages/quote/quote-llm.ts';
import { linearly } from '../../../packages/documents/test/support/linear-time.ts';
import { turnsDuring } from '../../support/turns.ts';

/** A question about the first words of each sentence, each of which has a number, so that each sentence can be told again. */
const QUESTION = 'How does the valve of the pump open?';

const word = fc.constantFrom('valve', 'pump', 'opens', 'with', 'the', 'slow', 'pressure', '`code.of(it)`', '**bold**', 'a<br>b', '[3]');
const link = fc.constantFrom('[the guide to it](https://example.com/a)', '[x](y "z")', '![a picture](b.png)');
const piece = fc.oneof({ weight: 8, arbitrary: word }, { weight: 1, arbitrary: link });

/** Sentences that begin with `Begin7` and end with `end7.`: nothing else tells that one is whole. */
const sentenceOf = (most: number) =>
  fc.array(piece, { maxLength: most }).map((words) => (at: number) => `Begin${at} ${words.join(' ')} end${at}.`);
const line = fc.array(word, { maxLength: 60 }).map((words) => (at: number) => `begin${at} ${words.join(' ')} end${at}`);
type Numbered = (at: number) => string;

interface Kind {
  parts: readonly Numbered[];
  text: (parts: readonly string[]) => string;
}
const of = (part: fc.Arbitrary<Numbered>, text: Kind['text']): fc.Arbitrary<Kind> =>
  fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => ({ parts, text }));
const inCells = (part: string): string => `| ${part} | ${part.split(' ')[0]} |`;
const blockOf = (sentence: fc.Arbitrary<Numbered>) =>
  fc.oneof(
    of(sentence, (parts) => parts.join(' ')),
    of(sentence, (parts) => parts.map((part) => `- ${part}`).join('\n')),
    of(sentence, (parts) => `- ${parts[0]}\n${parts.slice(1).map((part) => `  - ${part}`).join('\n')}`), // prettier-ignore
    of(line, (parts) => `\`\`\`sh\n${parts.join('\n')}\n\`\`\``),
    of(line.map((make) => (at: number) => make(at).split(' ').slice(0, 20).join(' ').replace(/ end\d+$/, '') + ` end${at}`), (parts) => `| valve | pump |\n|---|---|\n${parts.map(inCells).join('\n')}`), // prettier-ignore
    of(line.map((make) => (at: number) => `## ${make(at).slice(0, 300)}`), (parts) => parts[0]!), // prettier-ignore
  );

/** What breaks off within code. */
const brokenOff = of(line, (parts) => `\`\`\`sh\n${parts.join('\n')}`);

const documentOf = (kinds: readonly Kind[]): string => {
  let at = 0;
  return kinds.map(({ parts, text }) => text(parts.map((part) => part(at++)))).join('\n\n');
};

async function answerTo(query: string, sources: readonly GroundingSource[]): Promise<string> {
  const request = { messages: [], grounding: { query, question: query, sources: [...sources] }, max_tokens: 1024, timeout: 60 };
  let answer = '';
  for await (const said of openQuoteLlm().generate(request)) answer += said;
  return answer;
}

const counted = (answer: string): number =>
  answer
    .replace(/\s*\[\d+\](?!\()/g, '')
    .split(/\s+/)
    .filter(Boolean).length;

/** The numbers of what begins, or ends, in an answer, below its headings. */
const numbers = (text: string, name: RegExp): string[] => [...new Set([...text.matchAll(name)].map(([, number]) => number!))].toSorted();

/** Sources whose sentences have `most` pieces: of one or two words each. */
function sourcesOf(most: number) {
  const blocks = fc.array(blockOf(sentenceOf(most)), { minLength: 1, maxLength: 6 });
  const kinds = fc.oneof(blocks, fc.tuple(blocks, brokenOff).map(([before, last]) => [...before, last])); // prettier-ignore
  const title = fc.array(word, { minLength: 1, maxLength: 70 });
  return fc.array(fc.record({ kinds, title }), { minLength: 1, maxLength: 3 });
}

/** A question, and how long the sentences may be that are quoted whole for it: three in one share the words. */
const asked = fc
  .constantFrom(
    { question: QUESTION, most: 32 },
    { question: 'Wie öffnet sich das Ventil (valve) der Pumpe (pump)?', most: 28 },
    { question: 'How does the valve open, and what is the pressure of the pump, and who sold the tower of Paris?', most: 9 },
  )
  .chain(({ question, most }) => fc.record({ question: fc.constant(question), documents: sourcesOf(most) }));

test('quotes at most 150 words of any document, without partial sentences, links, lines or code blocks', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ documents, question }) => {
      const sources = documents.map(({ kinds, title }, i) => ({
        citation: i + 1,
        title: `Manual ${i} › ${title.join(' ')}`,
        text: documentOf(kinds),
        score: 0.7,
      }));
      const answer = await answerTo(question, sources);
      expect(counted(answer), answer).toBeLessThanOrEqual(150);
      expect((answer.match(/^\s*```/gm) ?? []).length % 2, answer).toBe(0);
      expect(answer).not.toMatch(/\]\((?:https|y|b)/);
      const body = answer.replace(/^\*\*Manual .*\*\*$/gm, '');
      expect(numbers(body, /Begin(\d+)/g), answer).toEqual(numbers(body, /end(\d+)\./g));
    }),
    { numRuns: 300, seed: 12 },
  );
});

test('marks omitted lines of code, cells of a row and words of a long sentence', async () => {
  const many = (words: number, join = ' ') => Array.from({ length: words }, (_, i) => `valve${i}`).join(join);
  const texts = [
    `Valves of the pump: ${many(200)}.`,
    `\`\`\`sh\nvalve pump open ${many(200)}\n\`\`\``,
    `\`\`\`sh\nvalve pump open\n${many(200, '\n')}\n\`\`\``,
    `| valve | pump |\n|---|---|\n| valve pump open | ${many(200, ' | ')} |`,
  ];
  for (const text of texts) {
    const answer = await answerTo(QUESTION, [{ citation: 1, title: 'Manual', text, score: 0.7 }]);
    expect(counted(answer)).toBeLessThanOrEqual(150);
    expect(answer).toMatch(/valve\d+(?: \|)?(?:\n```\n)?\s+…/);
  }
});

const sourceOf = (text: string): GroundingSource => ({ citation: 1, title: 'Manual', text, score: 0.7 });

test('reads paragraphs that introduce one another in linear time', async () => {
  const answer = await linearly(
    4_000,
    async (size) => await answerTo(QUESTION, [sourceOf('The valve of the pump opens:\n\n'.repeat(size))]),
  );
  expect(counted(answer)).toBeLessThanOrEqual(120);
});

test('leaves the event loop to others while it reads a long source', async () => {
  expect(await turnsDuring(answerTo(QUESTION, [sourceOf('- the valve of the pump opens\n'.repeat(12_000))]))).toBeGreaterThan(5);
});

test('searches the first million characters', async () => {
  const answer = sourceOf('The valve of the pump opens with slow pressure.');
  const before = (length: number) => sourceOf(`${'Lorem ipsum dolor. '.repeat(length / 19)}`);
  expect(await answerTo(QUESTION, [before(400_000), answer])).toContain('slow pressure');
  expect(await answerTo(QUESTION, [before(1_100_000), answer])).not.toContain('slow pressure');
});
