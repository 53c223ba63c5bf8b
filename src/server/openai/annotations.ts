import type { Source } from '../../schema/items.ts';
import type { ChatResult } from '../../schema/answers.ts';
import { CITATIONS, numbersCited } from '../../text/citations.ts';
import { firstSentenceStart } from '../../text/sentences.ts';

interface Range {
  start_index: number;
  end_index: number;
}

/** A citation in the shape of OpenAI: of a page by its address, of any other source by its name. Indices are of the answer's text, in UTF-16 units. */
export type Annotation =
  | { type: 'url_citation'; url_citation: Range & { url: string; title: string } }
  | { type: 'file_citation'; file_citation: Range & { file_id: string; filename: string; title: string; location: Source['location'] } };

/** The citations of an answer, each with the range that it supports: what stands in the source word for word, else the sentence, with its mark. */
export function annotationsOf({ answer, sources }: Pick<ChatResult, 'answer' | 'sources'>): Annotation[] {
  const found: Annotation[] = [];
  let [start, from] = [0, 0];
  for (const { 0: mark, 1: list, index } of answer.matchAll(CITATIONS)) {
    const cited = (numbersCited(list!, sources.length) ?? []).map((number) => sources.filter(({ citation }) => citation === number));
    const saying = cited.flat();
    if (saying.length === 0) continue;
    // a mark right behind another one supports the same
    if (/[\p{L}\p{N}]/u.test(answer.slice(from, index))) start = supportedFrom(answer, { from, to: index }, saying);
    from = index + mark.length;
    for (const [source] of cited) if (source) found.push(annotation(source, { start_index: start, end_index: from }));
  }
  return found;
}

/** Where what a mark supports begins: at the first paragraph, line or sentence from which on everything is in a source, else at the last of them. */
function supportedFrom(answer: string, { from, to }: { from: number; to: number }, sources: readonly Source[]): number {
  const texts = sources.map(({ text }) => flat(text));
  const starts = startsIn(answer, from, to);
  const isQuoted = (start: number): boolean => texts.some((text) => text.includes(flat(answer.slice(start, to))));
  return starts.find(isQuoted) ?? starts.at(-1)!;
}

/** Where lines and sentences begin that say something. */
function startsIn(text: string, from: number, to: number): number[] {
  const starts: number[] = [];
  for (const { index, 0: line } of text.slice(from, to).matchAll(/[^\n]+/g)) {
    const end = from + index + line.length;
    for (let at = from + index + /^\s*/.exec(line)![0].length; at >= 0 && at < end; at = firstSentenceStart(text, at, end))
      if (/[\p{L}\p{N}]/u.test(text.slice(at, end))) starts.push(at);
  }
  return starts;
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

function annotation({ id, title, metadata, location }: Source, range: Range): Annotation {
  const source = String(metadata.source);
  return /^https?:\/\//i.test(source)
    ? { type: 'url_citation', url_citation: { ...range, url: source, title } }
    : { type: 'file_citation', file_citation: { ...range, file_id: id, filename: source, title, location } };
}
