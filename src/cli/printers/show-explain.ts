import type { ChatExplain, ChatResult } from '../../schema/answers.ts';
import { printable } from '../screen.ts';

/** What is told of how a rank came about, by its name: of each kind of search, and what they were fused to. */
type Arms = Readonly<Record<string, unknown>>;

type Passage = ChatExplain['passages'][number];

const figure = (value: unknown): string => (typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value));

const pairs = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(' ');

/** How a rank came about, a part each: `text weight 0.500 rank 1 score 7.210`, `fused_score 0.981`. */
export const armsOf = (arms: Arms = {}): string[] =>
  Object.entries(arms).map(([name, value]) =>
    printable(`${name} ${typeof value === 'object' && value !== null ? pairs(value) : figure(value)}`),
  );

function fate({ rejected, citation, cited }: Passage): string {
  if (rejected === 'room' && citation === undefined) return 'left out: no room';
  const weak = rejected && rejected !== 'room' ? `below ${rejected}` : '';
  const given = citation === undefined ? '' : `given as [${citation}]${cited ? ', cited' : ''}`;
  return [weak, given].filter(Boolean).join(', ');
}

function passageLine(passage: Passage): string {
  const { rank, title, source, score, rerank_score, arms } = passage;
  const scores = [`score ${figure(score)}`, ...(rerank_score === undefined ? [] : [`reranked ${figure(rerank_score)}`]), ...armsOf(arms)];
  return [`  ${rank}. ${printable(title)} — ${printable(source)}`, scores.join('; '), fate(passage)].filter(Boolean).join(': ');
}

function promptLines({ provider, messages }: ChatExplain['calls'][number]): string[] {
  if (messages?.length === 0) return [`    ${printable(provider)} quotes the passages and is sent no prompt`];
  return (messages ?? []).flatMap(({ role, content }) => [
    `    ${role}:`,
    ...printable(content)
      .split('\n')
      .map((line) => `      ${line}`),
  ]);
}

/** What was searched for, where that is not what was asked: the follow-up as it stands alone, or each of the questions in it. */
function searchLines({ search_query, query }: Asked, searched: readonly string[] = []): string[] {
  const [only, ...others] = searched.length > 0 ? searched : search_query === query ? [] : [search_query];
  if (only === undefined) return [];
  const lines = [only, ...others].map((text) => printable(text).replace(/\s+/g, ' '));
  return others.length === 0 ? [`searched for: ${lines[0]}`] : ['searched for:', ...lines.map((text) => `  ${text}`)];
}

/** What was asked, and what was searched for in its place. */
type Asked = Pick<ChatResult['retrieval'], 'query' | 'search_query'>;

/** How a turn came about, a line each: what was searched for, thresholds, passages, what the model was asked (with the prompt, where it is there), and where the time went. */
export function explainLines(asked: Asked, { thresholds, searched, passages, declined, stages, calls, window }: ChatExplain): string[] {
  const questions = calls.flatMap((call) => [
    `  ${call.stage}: ${printable(`${call.provider} / ${call.model}`)}, ${call.input_tokens} tokens in, ${call.output_tokens} out, ${call.milliseconds} ms`,
    ...promptLines(call),
  ]);
  return [
    ...searchLines(asked, searched),
    ...(Object.keys(thresholds).length > 0 ? [`thresholds: ${pairs(thresholds)}`] : []),
    ...(passages.length > 0 ? ['passages:', ...passages.map(passageLine)] : []),
    ...(declined === undefined ? [] : [`declined: ${printable(declined)}`]),
    ...(window ? [`window: ${window.context_window} tokens, ${window.max_tokens} of them for the answer`] : []),
    ...(questions.length > 0 ? ['asked:', ...questions] : []),
    ...(stages.length > 0 ? [`time: ${stages.map(({ stage, milliseconds }) => `${stage} ${milliseconds} ms`).join(', ')}`] : []),
  ];
}
