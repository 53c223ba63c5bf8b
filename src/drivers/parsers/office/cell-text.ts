import type { CellObject, WorkBook } from 'xlsx';

/** SheetJS' writer of numbers: it throws where it does not know the format, and shows nothing of negative times. */
type FormatNumber = (code: string, value: number, options: { date1904: boolean }) => string;

/** Parts of a number format: quoted text, an escaped character, a space or filling as wide as another, brackets, the general format, halves of a day; else a character. */
const PARTS = /"[^"]{0,255}"|\\.|[_*].|\[[^\]]{0,255}\]|general|am\/pm|a\/p|上午\/下午|./gisu;
/** What is written as it stands, or says how a number is shown. */
const LITERAL = /^["\\_*[]/;
const DATE_PART = /^(?:[ymdhs]|\[(?:h+|m+|s+)\])$/i;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
/** Characters that SheetJS takes for a mistake, and Excel for themselves. */
const UNKNOWN = /^(?:[CFI-LNOQRT-XZn]|[^\p{ASCII}€])$/u;
/** A language without a currency: SheetJS writes a dollar for it. */
const LANGUAGE = /^\[\$-[^\]]*\]$/;

/** What SheetJS shows where day, month and year stand in the order of each reader's own computer. */
const LOCAL_DATE = /^\d{1,2}\/\d{1,2}\/\d{2}( \d{1,2}:\d{2})?$/;
const LOCAL_DATE_AND_TIME = 'm/d/yy h:mm';

/**
 * The format that a date is shown in whose own leaves the order of its parts to the computer (22 of Excel, those of East Asia, which SheetJS has no code for
 * and shows like the American 14); undefined for other cells. 14 itself is told to SheetJS.
 */
const isoFormat = (code: string | undefined, shown = ''): string | undefined =>
  (code === undefined || code === LOCAL_DATE_AND_TIME) && LOCAL_DATE.test(shown)
    ? `yyyy-mm-dd${shown.includes(' ') ? ' h:mm' : ''}`
    : undefined;

/** A number format of Excel as SheetJS understands it: units and points between the parts of a date are quoted, languages left out. */
function readableFormat(code: string): string {
  const parts = code.match(PARTS) ?? [];
  const isDate = parts.some((part) => DATE_PART.test(part));
  if (isDate && /[#?]|(?<![.0])0/.test(parts.filter((part) => !LITERAL.test(part)).join(''))) return code;
  let before = '';
  return parts
    .map((part, index) => {
      const isFraction = /^s$|^\[s+\]$/i.test(before) && parts[index + 1] === '0';
      if (DATE_PART.test(part)) before = part;
      if (LANGUAGE.test(part)) return isDate ? part : '';
      return UNKNOWN.test(part) || (part === '.' && isDate && !isFraction) ? `"${part}"` : part;
    })
    .join('');
}

/** Returns what cells of a workbook show. A time below zero is shown like another; a date below zero, which no calendar of Excel has, is empty: Excel shows signs. */
export function cellTextOf(book: WorkBook, format: FormatNumber): (cell: CellObject) => string {
  const options = { date1904: book.Workbook?.WBProps?.date1904 === true };
  const codes = new Map<string, string>();
  const readable = (code: string): string => {
    if (!codes.has(code)) codes.set(code, readableFormat(code));
    return codes.get(code)!;
  };
  const written = (code: string, value: number): string | undefined => {
    try {
      return format(code, value, options);
    } catch {
      return undefined;
    }
  };
  const numberText = (value: number, code: string, shown: string | undefined): string | undefined => {
    const text = readable(code) === code ? shown : (written(readable(code), value) ?? shown);
    const isTimeBelowZero = text === '' && value < 0 && ELAPSED.test(code);
    return isTimeBelowZero ? `-${written(code, -value)}` : text;
  };
  return ({ t, v, w, z }) => {
    const code = isoFormat(z as string | undefined, w) ?? z;
    const text =
      t === 'n' && typeof v === 'number' && typeof code === 'string' ? numberText(v, code, code === z ? w : written(code, v)) : w;
    return (text ?? (v instanceof Date ? v.toISOString() : String(v ?? ''))).trim();
  };
}
