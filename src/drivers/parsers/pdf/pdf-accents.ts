/** A run of text and its place on its line, in points. */
interface Placed {
  text: string;
  x: number;
  right: number;
  size: number;
}

/** Accents as characters of their own, and what joins them to a letter. TeX sets them so, one over the other. */
const JOINING: Readonly<Record<string, string>> = {
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
/** Runs of which one begins this far before the end of the other lie over one another, in font sizes. */
const OVER = 0.15;
/** A letter is at most this wide. */
const LETTER = 1;

/** Runs from left to right, with accents and the letters below them as one character, and a sign that is drawn of a circle and a letter once. */
export function withAccents<Run extends Placed>(runs: readonly Run[]): readonly Run[] {
  if (!runs.some(({ text }) => /[`´ˆ˜˘˙¨˚˝ˇ¸©]/.test(text))) return runs;
  const written: Run[] = [];
  for (const run of runs) {
    const before = written.at(-1);
    const isOver = before !== undefined && before.right - run.x > OVER * run.size;
    const joined = isOver ? (overlaid(before, run) ?? circled(before, run)) : undefined;
    if (joined) written.splice(-1, 1, ...joined);
    else written.push(run);
  }
  return written;
}

/** The two runs with the accent at the end of the first, or alone in the second, joined to the letter below it. */
function overlaid<Run extends Placed>(before: Run, run: Run): Run[] | undefined {
  const accent = JOINING[before.text.at(-1) ?? ''];
  const letter = accent === undefined ? undefined : letterWith(run.text[0], accent);
  if (letter !== undefined)
    return [
      { ...before, text: before.text.slice(0, -1), right: run.x },
      { ...run, text: letter + run.text.slice(1) },
    ];
  const alone = JOINING[run.text.trim()];
  const first = alone === undefined || run.x - before.x > LETTER * before.size ? undefined : letterWith(before.text[0], alone);
  return first === undefined ? undefined : [{ ...before, text: first + before.text.slice(1) }];
}

function letterWith(letter = '', accent: string): string | undefined {
  const whole = ((DOTLESS[letter] ?? letter) + accent).normalize('NFC');
  return whole.length === 1 ? whole : undefined;
}

/** TeX draws © and ® as a circle with a letter in it. */
function circled<Run extends Placed>(before: Run, run: Run): Run[] | undefined {
  if (!before.text.endsWith('©') || run.right > before.right || !/^[cR]$/.test(run.text)) return undefined;
  return [run.text === 'c' ? before : { ...before, text: `${before.text.slice(0, -1)}®` }];
}
