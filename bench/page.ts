const START = `# Benchmarks

\`npm run bench\` measures what stands between the marks and writes it here. Each table names the command that made it, the machine and the date;
ratios tell more than seconds, which another machine has others of.
`;

/**
 * The page with this section in the place of the one of the same name, or after all others where there is none yet. Sections stand between two
 * comments; what is written beside them stays. `page` is what there is; without one, a new page is begun.
 */
export function replaced(page: string | undefined, name: string, section: string): string {
  const [open, close] = [`<!-- bench: ${name} -->`, `<!-- end: ${name} -->`];
  const before = page ?? START;
  const block = `${open}\n\n${section}\n\n${close}`;
  const [from, to] = [before.indexOf(open), before.indexOf(close)];
  if (from < 0 || to < from) return `${before.trimEnd()}\n\n${block}\n`;
  return before.slice(0, from) + block + before.slice(to + close.length);
}
