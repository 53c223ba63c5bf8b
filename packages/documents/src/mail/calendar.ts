import type { ParsedDocument } from '../types.ts';
import { escapeLine, heading, oneLine } from '../markdown/write.ts';
import { decodeText } from '../bytes.ts';
import { factList, MarkedBlocks } from '../parsed-document.ts';
import type { ParserRow } from '../parser.ts';

/** A calendar (RFC 5545): what, when, where and by whom of each event, task and journal entry. */
export const calendarParser: ParserRow = {
  file_type: 'calendar',
  name: 'a calendar (ICS)',
  extensions: ['.ics', '.ical', '.ifb'],
  media_types: ['text/calendar', 'application/ics'],
  is_text: true,
  signature: /^(?:ï»¿)?\s*BEGIN:VCALENDAR/i,
  parse: async (bytes) => readCalendar(await decodeText(bytes)),
};

interface Property {
  name: string;
  parameters: Readonly<Record<string, string>>;
  value: string;
}

interface Entry {
  /** Its first line, from 1. */
  line: number;
  properties: Property[];
}

const ENTRY = /^V(?:EVENT|TODO|JOURNAL|FREEBUSY)$/i;

/** Reads a calendar as Markdown. */
export function readCalendar(source: string): ParsedDocument {
  const { entries, properties } = readEntries(source);
  const name = textOf(properties, 'X-WR-CALNAME');
  const blocks = new MarkedBlocks();
  if (name) blocks.add(heading(1, escapeLine(name)));
  const description = textOf(properties, 'X-WR-CALDESC');
  if (description) blocks.add(paragraphs(description));
  for (const entry of entries) blocks.add(writeEntry(entry.properties, name ? 2 : 1), { line: entry.line });
  const [first] = entries;
  const title = name ?? (first && entries.length === 1 ? textOf(first.properties, 'SUMMARY') : undefined);
  return { text: blocks.text, title: title && oneLine(title), metadata: {}, marks: blocks.marks };
}

/** Splits a calendar into its entries and its own properties. Alarms and rules of time zones belong to no entry. */
function readEntries(source: string): { entries: Entry[]; properties: Property[] } {
  const entries: Entry[] = [];
  const properties: Property[] = [];
  const open: string[] = [];
  for (const { text, line } of unfold(source)) {
    const property = readProperty(text);
    if (!property) continue;
    const { name, value } = property;
    if (name === 'BEGIN') {
      open.push(value.trim());
      if (ENTRY.test(value.trim())) entries.push({ line, properties: [] });
    } else if (name === 'END') open.pop();
    else if (ENTRY.test(open.at(-1) ?? '')) entries.at(-1)?.properties.push(property);
    else if (open.length === 1) properties.push(property);
  }
  return { entries, properties };
}

/** Joins lines that are continued on the next line, which begins with a blank. */
function unfold(source: string): { text: string; line: number }[] {
  const lines: { text: string; line: number }[] = [];
  for (const [i, text] of source.split('\n').entries()) {
    const last = lines.at(-1);
    if (last && /^[ \t]/.test(text)) last.text += text.slice(1);
    else lines.push({ text, line: i + 1 });
  }
  return lines;
}

const PROPERTY = /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^":;,]*)(?:,(?:"[^"]*"|[^":;,]*))*)*):(.*)$/;
const PARAMETER = /;([\w-]+)=("[^"]*"|[^";]*)/g;

function readProperty(line: string): Property | undefined {
  const [, name, parameters = '', value = ''] = PROPERTY.exec(line) ?? [];
  if (name === undefined) return undefined;
  const pairs = Array.from(parameters.matchAll(PARAMETER), ([, key, text]) => [key!.toUpperCase(), text!.replaceAll('"', '')]);
  return { name: name.toUpperCase(), parameters: Object.fromEntries(pairs) as Record<string, string>, value };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', N: '\n' };
const unescapeText = (value: string): string => value.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character).trim();

const valuesOf = (properties: readonly Property[], name: string): Property[] => properties.filter((property) => property.name === name);

function textOf(properties: readonly Property[], name: string): string | undefined {
  const text = valuesOf(properties, name)
    .map(({ value }) => unescapeText(value))
    .filter(Boolean)
    .join(', ');
  return text === '' ? undefined : text;
}

const paragraphs = (text: string): string =>
  text
    .split('\n')
    .map((line) => escapeLine(line.trim()))
    .join('\n');

function writeEntry(properties: readonly Property[], level: number): string {
  const people = (name: string) => valuesOf(properties, name).map(describePerson).filter(Boolean).join(', ');
  const text = (name: string) => textOf(properties, name);
  const facts = factList({
    When: describeTime(properties),
    Due: text('DUE') && valuesOf(properties, 'DUE').map(describeMoment).join(', '),
    Repeats: text('RRULE')
      ?.replace(/^FREQ=/, '')
      .replaceAll(';', ', '),
    Where: text('LOCATION'),
    Organizer: people('ORGANIZER'),
    Attendees: people('ATTENDEE'),
    Contact: text('CONTACT'),
    Status: text('STATUS'),
    Categories: text('CATEGORIES'),
    Resources: text('RESOURCES'),
    Attachments: text('ATTACH'),
    Address: text('URL'),
  });
  const bodies = ['DESCRIPTION', 'COMMENT'].flatMap((name) =>
    valuesOf(properties, name).map(({ value }) => paragraphs(unescapeText(value))),
  );
  const summary = text('SUMMARY');
  return [summary && heading(level, escapeLine(oneLine(summary))), facts, ...bodies].filter(Boolean).join('\n\n');
}

/** Names a person: `Astrid Holm <astrid@example.org>`. */
function describePerson({ parameters, value }: Property): string {
  const address = value.replace(/^mailto:/i, '').trim();
  const { CN: name } = parameters;
  return name && name !== address ? `${name}${address ? ` <${address}>` : ''}` : address;
}

const MOMENT = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?$/;

/** Writes a date, and the time with its zone: `2026-03-19 08:30 UTC`. */
function describeMoment({ parameters, value }: Property): string {
  const [, year, month, day, hour, minute, , utc] = MOMENT.exec(value.trim()) ?? [];
  if (year === undefined) return value.trim();
  const date = `${year}-${month}-${day}`;
  const zone = utc ? ' UTC' : parameters['TZID'] ? ` ${parameters['TZID']}` : '';
  return hour === undefined ? date : `${date} ${hour}:${minute}${zone}`;
}

function describeTime(properties: readonly Property[]): string | undefined {
  const [start] = valuesOf(properties, 'DTSTART');
  if (!start) return undefined;
  const [end] = valuesOf(properties, 'DTEND');
  const [duration] = valuesOf(properties, 'DURATION');
  const from = describeMoment(start);
  if (!end) return duration ? `${from}, for ${describeDuration(duration.value)}` : from;
  const to = isDate(end) ? dayBefore(end.value.trim()) : describeMoment(end);
  if (to === from) return from;
  const sameDay = !isDate(end) && to.slice(0, 11) === from.slice(0, 11);
  return `${from} – ${sameDay ? to.slice(11) : to}`;
}

const isDate = ({ value }: Property): boolean => /^\d{8}$/.test(value.trim());

/** The end of entries that take whole days is the day after the last one. */
function dayBefore(value: string): string {
  const [year, month, day] = [value.slice(0, 4), value.slice(4, 6), value.slice(6)].map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day - 1)).toISOString().slice(0, 10);
}

const UNITS: Readonly<Record<string, string>> = { W: 'weeks', D: 'days', H: 'h', M: 'min', S: 's' };

/** Writes a duration: `PT1H30M` is `1 h 30 min`. */
function describeDuration(value: string): string {
  const lengths = Array.from(value.matchAll(/(\d{1,9})([WDHMS])/g), ([, count, unit]) => `${count} ${UNITS[unit!]}`);
  return lengths.length > 0 ? lengths.join(' ') : value;
}
