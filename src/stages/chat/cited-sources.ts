import { visible } from '../../text/visible.ts';
import type { GroundingSource } from '../../ports/models.ts';
import { GIVEN_TYPES } from '../../ports/reading.ts';
import { Location, type RetrievedItem, type Source } from '../../schema/items.ts';
import type { Neighbour, Neighbours } from '../retrieve/neighbours.ts';
import { type LineRange, locateQuote } from './quote-location.ts';

const ATTRIBUTE = String.raw`\s+[\w:@.-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?`;
const UNSEEN = String.raw`(?:display\s*:\s*none|visibility\s*:\s*hidden)`;
const HIDING = String.raw`\s+(?:hidden(?=[\s/>=])|style\s*=\s*(?:"[^"]*${UNSEEN}[^"]*"|'[^']*${UNSEEN}[^']*'))`;

/** Behind no backslash that escapes: of an even number each escapes the next one. */
const UNESCAPED = String.raw`(?<!(?<!\\)\\(?:\\\\)*)`;

/** The title of a link, with the blanks before it. */
const TITLE = String.raw`(?:[ \t]*\n[ \t]*|[ \t]+)(?:"[^"]*"|'[^']*'|\([^()]*\))`;
/** How an address begins, or what makes it one: `9-17`, `Hello` and `12/24` are none. */
const ADDRESS = String.raw`(?:<|[a-z][a-z0-9+.-]*:|\S*(?:#|\.[a-z]|/(?!\d)|(?<!\d)/))`;

/** What hides words in Markdown, and code, in which nothing does: the first that begins counts. Every part ends soon, or is read once. */
const PARTS = new RegExp(
  [
    // code in a fence, to its end or that of the text, and within a line
    String.raw`^[ \t>]*(?<fence>\`{3,}(?!\`)|~{3,}(?!~))[^\n]*\n(?:[^]*?^[ \t>]*\k<fence>[\`~]*[ \t]*$|[^]*)`,
    String.raw`(?<!\`)(?<marks>\`+)(?!\`)(?:(?!\n[ \t]*\n)[^]){1,500}?(?<!\`)\k<marks>(?!\`)`,
    // a comment; one that a line begins with goes to the end
    String.raw`(?<comment><!--(?:(?!<!--)[^])*?-->|^[ \t]*<!--[^]*)`,
    String.raw`${UNESCAPED}<(?<element>script|style|template)\b[^<>]*>`,
    String.raw`${UNESCAPED}<(?<concealed>[a-z][a-z0-9-]*)(?:${ATTRIBUTE})*?${HIDING}[^<>]*>`,
    // the address of a link by its label (CommonMark 4.7): no footnote, and no word behind a name in brackets
    String.raw`^ {0,3}\[(?!\^)(?<label>[^[\]\n]{1,999})\]:[ \t]*(?:\n[ \t]*)?(?=${ADDRESS}|\S+${TITLE}[ \t]*$)(?:<[^<>\n]*>|[^\s<]\S*)(?<title>${TITLE})?[ \t]*$`,
  ].join('|'),
  'gim',
);

/** Elements that have no end of their own. */
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** Elements that may end without a closing tag (HTML 13.1.2.4). */
const LEFT_OPEN = /^(?:p|li|dt|dd|option|tr|td|th)$/i;

/** Elements of a kind within each other up to which a closing tag is looked for: texts of nothing but opening tags are not read again to their end by each. */
const DEEPEST = 100;

/** Elements that prose names: nothing but the tag of one that never closes is taken out. */
const NAMED = /^(?:script|style|template)$/i;

/**
 * Where the element of an opening tag ends: behind its closing tag, those of its kind in it aside. Where it has none, one that stands on a line of its own
 * ends with the text, and any other with its paragraph.
 */
function endOf(text: string, { index, from, name }: { index: number; from: number; name: string }): number {
  if (VOID.test(name)) return from;
  const tags = new RegExp(String.raw`<(/?)${name}\b[^<>]*>`, 'gi');
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(text); tag && depth < DEEPEST; tag = tags.exec(text)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tags.lastIndex;
  }
  if (NAMED.test(name)) return from;
  if (!LEFT_OPEN.test(name) && /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', index - 1) + 1, index))) return text.length;
  const blank = text.slice(from).search(/\n[ \t]*\n/);
  return blank < 0 ? text.length : from + blank;
}

const newlinesOf = (text: string): string => text.replace(/[^\n]+/g, '');

/** What a text leads somewhere by: `[label]`, or `[words][label]`. */
const labelsIn = (text: string): Set<string> =>
  new Set(Array.from(text.matchAll(/\[([^[\]\n]{1,999})\](?!:)/g), ([, label]) => label!.toLowerCase()));

/**
 * A text in Markdown without what nobody sees who reads it rendered: comments, hidden elements, scripts, and addresses of links with their titles. What is
 * in code stays, and so do all the line ends: a line is where it was.
 */
export function withoutHidden(text: string): string {
  let shown = '';
  let from = 0;
  const labels = labelsIn(text);
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(text); part; part = PARTS.exec(text)) {
    const { comment, element, concealed = element, label, title = '' } = part.groups!;
    if (comment === undefined && concealed === undefined && label === undefined) continue;
    const end =
      concealed === undefined ? part.index + part[0].length : endOf(text, { index: part.index, from: PARTS.lastIndex, name: concealed });
    const kept = label !== undefined && labels.has(label.toLowerCase()) ? part[0].replace(title, () => newlinesOf(title)) : undefined;
    shown += text.slice(from, part.index) + (kept ?? newlinesOf(text.slice(part.index, end)));
    from = end;
    PARTS.lastIndex = end;
  }
  return shown + text.slice(from);
}

const locationOf = (item: RetrievedItem): Location => Location.safeParse(item.metadata.location ?? {}).data ?? {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const titleOf = (item: RetrievedItem): string =>
  textOf(item.metadata.title) || locationOf(item).headings?.[0] || textOf(item.metadata.source) || item.id;

/** What an answer took from its sources. */
interface Taken {
  /** The numbers that it cites. */
  cited: ReadonlySet<number>;
  /** Of one that quotes, the lines that it did, by the id of the chunk: of the chunk with what stands before and behind it. */
  quoted?: ReadonlyMap<string, readonly LineRange[]>;
  /** What stands beside the chunks, by id. */
  neighbours?: ReadonlyMap<string, Neighbours>;
}

/** A text that quoted lines may be in, its first line among those of the chunk with its neighbours, and where it stands. */
interface Stretch {
  text: string;
  first: number;
  /** The first line that is its own alone. */
  from: number;
  /** Lines that its text has before those that are joined. */
  skipped: number;
  location: Location;
}

const newlines = (text: string): number => text.split('\n').length - 1;

/** The chunk and what stands beside it, in the order of the text. */
function stretchesOf(item: RetrievedItem, { before, after }: Neighbours = {}): Stretch[] {
  const text = seen(item);
  const first = newlines(before?.joined ?? '');
  const own = { text: item.text, first, from: first, skipped: 0, location: locationOf(item) };
  const end = first + newlines(text);
  const skipped = after ? newlines(after.text) - newlines(after.joined) : 0;
  return [
    ...(before ? [{ text: before.text, first: 0, from: 0, skipped: 0, location: before.location }] : []),
    own,
    ...(after ? [{ text: after.text, first: end, from: skipped < 0 ? end - skipped : end + 1, skipped, location: after.location }] : []),
  ];
}

/** Where quoted lines stand: in the chunk or in the neighbour that holds the first of them, to the last of them wherever that is. */
function quotedPlace(item: RetrievedItem, lines: readonly LineRange[], neighbours: Neighbours | undefined): Location {
  const start = Math.min(...lines.map(([first]) => first));
  const end = Math.max(...lines.map(([, last]) => last));
  const stretches = stretchesOf(item, neighbours);
  const [head, tail] = [start, end].map((line) => stretches.findLast(({ from }) => from <= line)!);
  const within = ({ text, first, skipped }: Stretch, line: number) => Math.min(newlines(text), Math.max(0, line - first + skipped));
  const placeIn = (stretch: Stretch, from: number) =>
    locateQuote(stretch.text, stretch.location, [[within(stretch, from), within(stretch, end)]]);
  const place = placeIn(head!, start);
  if (tail === head) return place;
  const { line_end, row_end } = placeIn(tail!, end);
  return {
    ...place,
    ...(place.line_start === undefined || line_end === undefined ? {} : { line_end }),
    ...(place.row_start === undefined || row_end === undefined ? {} : { row_end }),
  };
}

/** The chunks of a prompt as sources of the answer, numbered in their order. A place is that of what is quoted, else one that is true of the whole chunk. */
export function toSources(context: readonly RetrievedItem[], { cited, quoted, neighbours }: Taken): Source[] {
  return context.map((item, i) => ({
    id: item.id,
    title: titleOf(item),
    score: item.score,
    ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
    metadata: item.metadata,
    citation: i + 1,
    cited: cited.has(i + 1),
    text: item.text,
    location: quoted?.has(item.id)
      ? quotedPlace(item, quoted.get(item.id)!, neighbours?.get(item.id))
      : locateQuote(item.text, locationOf(item)),
  }));
}

/** Line ends that are none of a file's: its lines are counted by the others. */
const FOREIGN_ENDS = /\u2028|\u2029|\r(?!\n)/g;

/** The passage as its reader sees it, line by line: without what Markdown hides, and letters that nobody sees. */
function seen({ text, metadata }: Pick<RetrievedItem, 'text' | 'metadata'>): string {
  const { file_type = GIVEN_TYPES.markdown } = metadata;
  return visible((file_type === GIVEN_TYPES.markdown ? withoutHidden(text) : text).replace(FOREIGN_ENDS, ' '));
}

/**
 * The chunks as a model is shown them: in one line the title and the headings above the passage, and nothing that is hidden from a reader; with what stands
 * before and behind them.
 */
export function toGrounding(context: readonly RetrievedItem[], neighbours: ReadonlyMap<string, Neighbours> = new Map()): GroundingSource[] {
  return context.map((item, i) => {
    const path = [titleOf(item), ...(locationOf(item).headings ?? [])].map((part) => visible(part).replace(/\s+/g, ' ').trim());
    const { before, after } = neighbours.get(item.id) ?? {};
    const { page_kind } = item.metadata;
    const beside = (neighbour: Neighbour) => seen({ text: neighbour.joined, metadata: item.metadata });
    return {
      citation: i + 1,
      title: [...new Set(path)].join(' › '),
      text: seen(item),
      ...(before ? { before: beside(before) } : {}),
      ...(after ? { after: beside(after) } : {}),
      document: String(item.metadata.source),
      score: item.score,
      ...(item.rerank_score === undefined ? {} : { rerank_score: item.rerank_score }),
      ...(typeof page_kind === 'string' && page_kind !== 'text' ? { page_kind } : {}),
    };
  });
}
