/** Formats a whole number in English, `1,200`. Small numbers avoid `toLocaleString`, whose first call takes 15 ms. */
const figure = (number: number): string => (number < 1000 ? String(number) : number.toLocaleString('en'));

/** Formats a number with its noun: `1 document`, `1,200 documents`. */
export const count = (number: number, one: string, many = `${one}s`): string => `${figure(number)} ${number === 1 ? one : many}`;

/** Formats a part of a number with its noun: `1 of 1 chunk`, `990 of 1,200 chunks`. */
export const countOf = (part: number, whole: number, one: string): string => `${figure(part)} of ${count(whole, one)}`;

/** Lists the first names and counts the others: `a, b, c and 1,200 more`. */
export function listNames(names: readonly string[], most: number): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${figure(more)} more` : '');
}

/** Formats a duration: `0.8 s`, `42 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 9_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a number of bytes in powers of ten: `1.2 MB`. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
