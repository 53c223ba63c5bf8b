import type { ParsedDocument } from '../types.ts';
import { escapeLine, oneLine } from '../markdown/write.ts';
import { decodeText } from '../bytes.ts';
import { MarkedBlocks } from '../parsed-document.ts';
import type { ParserRow } from '../parser.ts';

/** Seconds of silence behind which a paragraph begins. */
const PAUSE = 4;
/** Characters of a paragraph from which the end of a sentence ends it. */
const LONG = 400;

interface Cue {
  start: number;
  end: number;
  speaker: string;
  text: string;
}

/** Subtitles (SubRip, WebVTT) as paragraphs of speech, with the name of the speaker; the mark of a cue is its time. */
export const subtitlesParser: ParserRow = {
  file_type: 'subtitles',
  name: 'a file of subtitles (SRT, VTT)',
  extensions: ['.srt', '.vtt'],
  media_types: ['text/vtt', 'application/x-subrip'],
  is_text: true,
  signature: /^(?:ï»¿)?WEBVTT/,
  async parse(bytes): Promise<ParsedDocument> {
    const source = await decodeText(bytes);
    const cues = readCues(source);
    if (cues.length === 0 && source.trim() !== '' && !/^\ufeff?WEBVTT/.test(source)) throw new Error('no line says when something is said');
    const last = cues.at(-1);
    const { text, marks } = writeParagraphs(cues);
    return { text, marks, metadata: last ? { duration: clock(last.end) } : {} };
  },
};

const TIME = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})\s*-->\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})/;

function readCues(source: string): Cue[] {
  const cues: Cue[] = [];
  for (const block of source.split(/\n[ \t]*\n/)) {
    const lines = block.split('\n');
    const at = lines.findIndex((line) => TIME.test(line));
    if (at < 0) continue;
    const numbers = TIME.exec(lines[at]!)!
      .slice(1)
      .map((part) => Number(part ?? 0));
    const speech = lines.slice(at + 1).join('\n');
    const speaker = oneLine(/<v(?:\.[^\s<>]{0,100})?[ \t]+([^<>\n]{0,200})>/.exec(speech)?.[1] ?? '');
    const text = oneLine(plain(speech));
    if (text !== '') cues.push({ start: seconds(numbers.slice(0, 3)), end: seconds(numbers.slice(4, 7)), speaker, text });
  }
  return withoutRepeats(cues);
}

const seconds = ([hours = 0, minutes = 0, rest = 0]: number[]): number => hours * 3600 + minutes * 60 + rest;

const plain = (text: string): string =>
  text
    .replace(/<\/?(?:[cibuv]|ruby|rt|lang|font|\d)[^<>\n]{0,200}>|\{\\[^{}\n]{0,200}\}/gi, '')
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', nbsp: ' ' })[name] ?? '');

/** Captions that roll up say a line again in the next cue. */
function withoutRepeats(cues: readonly Cue[]): Cue[] {
  const kept: Cue[] = [];
  for (const cue of cues) {
    const before = kept.at(-1);
    if (before && cue.start - before.end < 1 && (cue.text === before.text || cue.text.startsWith(`${before.text} `))) {
      const rest = cue.text.slice(before.text.length).trim();
      if (rest === '') before.end = cue.end;
      else kept.push({ ...cue, text: rest });
    } else kept.push(cue);
  }
  return kept;
}

const clock = (time: number): string =>
  [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60].map((part) => String(part).padStart(2, '0')).join(':');

function writeParagraphs(cues: readonly Cue[]): MarkedBlocks {
  const blocks = new MarkedBlocks();
  let length = 0;
  for (const [i, cue] of cues.entries()) {
    const before = cues[i - 1];
    const isNew =
      !before ||
      cue.speaker !== before.speaker ||
      cue.start - before.end >= PAUSE ||
      (length > LONG && /[.!?。？！]["»”)]*$/.test(before.text));
    const speech = isNew && cue.speaker !== '' ? `${cue.speaker}: ${cue.text}` : cue.text;
    blocks.addMarked(
      isNew ? escapeLine(speech) : speech,
      [{ at: 0, time: clock(cue.start), time_end: clock(Math.max(cue.start, cue.end)) }],
      isNew ? undefined : ' ',
    );
    length = isNew ? speech.length : length + speech.length;
  }
  return blocks;
}
