/** The words of dates in one language. */
export interface DateWords {
  /** The twelve months, divided by blanks, spellings of one by `|`. */
  months: string;
  /** The months, abbreviated. */
  shortMonths: string;
  /** Beginnings of the names of weekdays, separated by `|`. */
  weekdays: string;
}

/** The words of dates by language. */
export const DATE_WORDS = {
  english: {
    months: 'January February March April May June July August September October November December',
    shortMonths: 'Jan Feb Mar Apr May Jun Jul Aug Sep|Sept Oct Nov Dec',
    weekdays: 'mon|tue|wed|thu|fri|sat|sun',
  },
  german: {
    months: 'Januar|Jänner Februar März April Mai Juni Juli August September Oktober November Dezember',
    shortMonths: 'Jan Feb Mär|Mrz Apr Mai Jun Jul Aug Sep|Sept Okt Nov Dez',
    weekdays: 'mon|die|mit|don|fre|sam|son',
  },
  french: {
    months: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
    shortMonths: 'janv févr|fév mars avr mai juin juil août sept oct nov déc',
    weekdays: 'lun|mar|mer|jeu|ven|sam|dim',
  },
  spanish: {
    months: 'enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre',
    shortMonths: 'ene feb mar abr may jun jul ago sep|sept oct nov dic',
    weekdays: 'lun|mar|mié|mie|jue|vie|sáb|sab|dom',
  },
} satisfies Record<string, DateWords>;

/** The number of each month's name, full or short, in lower case. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  Object.values(DATE_WORDS)
    .flatMap(({ months, shortMonths }) => [months, shortMonths])
    .flatMap((names) =>
      names.split(' ').flatMap((spellings, at) => spellings.split('|').map((name) => [name.toLowerCase(), at + 1] as const)),
    ),
);
const MONTH = `(?<month>${[...MONTHS.keys()].join('|')})`;
const WEEKDAY = String.raw`(?:(?:${Object.values(DATE_WORDS)
  .map(({ weekdays }) => weekdays)
  .join('|')})\p{L}*\.?,?\s+)?`;
const YEAR = String.raw`(?<year>[12]\d{3})`;
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?`;
const OFFSET = String.raw`(?:GMT|UTC)?[+-]\d\d(?::?\d\d)?`;

/** Dates with an unambiguous order: ISO 8601 (also with slashes, as in Highwire's meta elements), RFC 2822, dots after the year, names of months. */
const DAYS = [
  String.raw`${YEAR}(?:(?<mark>[-/])(?<month>\d{1,2})(?:\k<mark>(?<day>\d{1,2}))?)?`,
  String.raw`${YEAR}(?<month>\d\d)(?<day>\d\d)`,
  String.raw`${YEAR}\.(?<month>\d{1,2})\.(?<day>\d{1,2})`,
  String.raw`${WEEKDAY}${DAY}(?:\s+(?:de\s+)?|-)${MONTH}(?:-|[.,]?\s+(?:de\s+)?)${YEAR}`,
  String.raw`${WEEKDAY}${MONTH}\.?\s+(?:${DAY},?\s+)?${YEAR}`,
].map((form) => new RegExp(`^${form}`, 'iu'));
/** Dates with the year last, as C's `asctime`, `date` and Ruby APIs write them: `Wed Oct 10 20:19:24 +0000 2018`. */
const YEAR_LAST = new RegExp(
  String.raw`^${WEEKDAY}(?<day>[a-z]+\s+\d{1,2})\s+(?<time>\d\d:\d\d:\d\d)(?<zone>\s+(?:[a-z]{1,3}|${OFFSET}))?\s+${YEAR}$`,
  'iu',
);
/** A time zone; Go and Java write its name after its offset. */
const ZONE = String.raw`(?<zone>z|${OFFSET})(?:\s+[a-z]{2,5}|\[[\w/+-]+\])?|(?<letters>[a-z]{1,3})`;
const TIME = new RegExp(
  String.raw`^(?:T|,?\s+(?:at\s+)?)(?<hour>\d{1,2}):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?:\s*(?<half>[ap])\.?m\.?)?(?:\s*(?:${ZONE}))?(?:\s*\([^()]*\))?$`,
  'i',
);
/** Offsets of named zones from UTC, in hours (RFC 2822, 4.3). */
const ZONES: Record<string, number> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};
/** Maximum length of a date, in characters. */
const MAX_LENGTH = 100;

type MatchedGroups = Record<string, string | undefined>;

/**
 * Converts a written date to ISO 8601, so that dates of all sources can be compared as text: a point in time in UTC (`2026-03-01T08:00:00.000Z`), or
 * a day, month or year with the given precision (`2026-03-01`). It reads ISO 8601, RFC 2822, formats that programs print, and names of months in
 * `DATE_WORDS`. A time without a zone counts as UTC on every machine. Undefined for anything else, such as `03/04/2026`, which is ambiguous.
 */
export function readDate(written: string): string | undefined {
  const trimmed = written.trim();
  if (trimmed.length > MAX_LENGTH) return undefined;
  const text = trimmed.replace(YEAR_LAST, '$<day> $<year> $<time>$<zone>');
  for (const form of DAYS) {
    const found = form.exec(text);
    const rest = text.slice(found?.[0].length ?? 0);
    const time = TIME.exec(rest);
    if (found && (rest === '' || time)) return toIsoDate(found.groups!, time?.groups);
  }
  return undefined;
}

function toIsoDate({ year = '', month, day }: MatchedGroups, time: MatchedGroups | undefined): string | undefined {
  const number = month === undefined ? 1 : /\d/.test(month) ? Number(month) : MONTHS.get(month.toLowerCase())!;
  const date = new Date(Date.UTC(Number(year), number - 1, Number(day ?? 1)));
  if (date.getUTCMonth() !== number - 1) return undefined; // 31 April
  const iso = date.toISOString();
  if (time) return day === undefined ? undefined : toInstant(iso.slice(0, 10), time);
  return iso.slice(0, day === undefined ? (month === undefined ? 4 : 7) : 10);
}

/** Converts a time on a day to ISO 8601 in UTC; undefined if it is invalid. */
function toInstant(
  day: string,
  { hour, minute, second = '0', fraction = '0', half, zone, letters = 'z' }: MatchedGroups,
): string | undefined {
  const given = Number(hour);
  const hours = half === undefined ? given : (given % 12) + (/p/i.test(half) ? 12 : 0);
  const offset = offsetMinutes(zone ?? letters);
  if (hours > 23 || (half !== undefined && (given < 1 || given > 12)) || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (offset === undefined) return undefined;
  const seconds = (hours * 60 + Number(minute) - offset) * 60 + Number(second);
  return new Date(Date.parse(day) + seconds * 1000 + Math.floor(Number(`0.${fraction}`) * 1000)).toISOString();
}

/** The offset of a zone from UTC, in minutes; undefined if it is unknown. */
function offsetMinutes(zone: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const named = ZONES[zone.toLowerCase()];
  return named === undefined ? undefined : named * 60;
}
