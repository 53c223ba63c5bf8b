/** What is shown to a visitor, over the example manuals. The answers cite their sources. */
export const TOUR = [
  ['ingest', '--docs', 'manuals'],
  ['retrieve', 'little or no steam from the wand', '--top-k', '2'],
  ['chat', 'How long is the warranty on the boilers?'],
  ['chat', 'What does error E24 mean?'],
];

/** What the last answer of the tour but one must cite. */
export const CITED = /\[\d+\].*warranty-and-service\.docx/;

/** The environment without the visitor's own KB_ settings, which would point the tour at another base or provider. */
export const plain = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KB_')));

/** A command as a person would type it. */
export const typed = (words) => words.map((word) => (/^[\w./-]+$/.test(word) ? word : `"${word}"`)).join(' ');
