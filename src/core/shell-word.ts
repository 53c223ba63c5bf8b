/** Writes a word as a shell reads it, in quotes where it needs them. */
export const shellWord = (word: string): string => (/^[\w@%+:,./=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);
