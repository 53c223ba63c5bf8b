/** A run of text and its place on its line, in points. */
interface Placed {
  text: string;
  x: number;
  right: number;
  size: number;
}

/** Accents, and their combining characters: TeX draws an accent and its letter over one another. */
const COMBINING: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030a',
  '˝': '\u030b',
  ˇ: '\u030c',
  '¸': '\u0327',
};
const DOTLESS: Readonly<Record<string, string>> = { ı: 'i', ȷ: 'j' };
/** Minimum overlap of runs that lie over one another, in font sizes. */
const OVERLAP = 0.15;
/** Maximum width of a letter, in font sizes. */
const LETTER = 1;

/** Joins accents to the letters below them, and the circle of © and ® to its letter. Runs are ordered from left to right. */
export function joinAccents<Run extends Placed>(runs: readonly Run[]): readonly Run[] {
  if (!runs.some(({ text }) => /[`´ˆ˜˘˙¨˚˝ˇ¸©]/.test(text))) return runs;
  const joined: Run[] = [];
  for (const run of runs) {
    const before = joined.at(-1);
    const overlaps = before !== undefined && before.right - run.x > OVERLAP * run.size;
    const pair = overlaps ? (joinAccent(before, run) ?? joinCircle(before, run)) : undefined;
    if (pair) joined.splice(-1, 1, ...pair);
    else joined.push(run);
  }
  return joined;
}

/** Joins the accent at the end of the first run, or alone in the second, to the letter below it. */
function joinAccent<Run extends Placed>(before: Run, run: Run): Run[] | undefined {
  const accent = COMBINING[before.text.at(-1) ?? ''];
  const letter = accent === undefined ? undefined : letterWith(run.text[0], accent);
  if (letter !== undefined)
    return [
      { ...before, text: before.text.slice(0, -1), right: run.x },
      { ...run, text: letter + run.text.slice(1) },
    ];
  const alone = COMBINING[run.text.trim()];
  const first = alone === undefined || run.x - before.x > LETTER * before.size ? undefined : letterWith(before.text[0], alone);
  return first === undefined ? undefined : [{ ...before, text: first + before.text.slice(1) }];
}

function letterWith(letter = '', accent: string): string | undefined {
  const whole = ((DOTLESS[letter] ?? letter) + accent).normalize('NFC');
  return whole.length === 1 ? whole : undefined;
}

/** TeX draws © and ® as a circle with a letter in it. */
function joinCircle<Run extends Placed>(before: Run, run: Run): Run[] | undefined {
  if (!before.text.endsWith('©') || run.right > before.right || !/^[cR]$/.test(run.text)) return undefined;
  return [run.text === 'c' ? before : { ...before, text: `${before.text.slice(0, -1)}®` }];
}
