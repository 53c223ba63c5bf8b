import type { ChatExplain } from '../schema/explain.ts';
import { printable } from './screen.ts';

type Passage = ChatExplain['passages'][number];

const figure = (value: unknown): string =>
  typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : printable(String(value));

const pairs = (values: object): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${figure(value)}`)
    .join(' ');

/** `text weight 0.500 rank 1 score 7.210; vector …; fused 0.981`. */
const armsOf = (arms: Record<string, unknown> = {}): string[] =>
  Object.entries(arms).map(([name, value]) => `${name} ${typeof value === 'object' && value !== null ? pairs(value) : figure(value)}`);

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

/** How a turn came about, a line each: thresholds, passages, what the model was asked (with the prompt, where it is there), and where the time went. */
export function explainLines({ thresholds, searched = [], passages, declined, stages, calls, window }: ChatExplain): string[] {
  const asked = calls.flatMap((call) => [
    `  ${call.stage}: ${printable(`${call.provider} / ${call.model}`)}, ${call.input_tokens} tokens in, ${call.output_tokens} out, ${call.milliseconds} ms`,
    ...promptLines(call),
  ]);
  return [
    ...(Object.keys(thresholds).length > 0 ? [`thresholds: ${pairs(thresholds)}`] : []),
    ...(searched.length > 0 ? ['searched for:', ...searched.map((query) => `  ${printable(query)}`)] : []),
    ...(passages.length > 0 ? ['passages:', ...passages.map(passageLine)] : []),
    ...(declined === undefined ? [] : [`declined: ${printable(declined)}`]),
    ...(window ? [`window: ${window.context_window} tokens, ${window.max_tokens} of them for the answer`] : []),
    ...(asked.length > 0 ? ['asked:', ...asked] : []),
    ...(stages.length > 0 ? [`time: ${stages.map(({ stage, milliseconds }) => `${stage} ${milliseconds} ms`).join(', ')}`] : []),
  ];
}
