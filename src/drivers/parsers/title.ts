/** So far into a text its first heading is looked for. */
const HEAD = 20_000;

/** The words of the first heading of a Markdown text, outside of code; undefined where there is none near the beginning. */
export function firstHeading(markdown: string): string | undefined {
  let fence: string | undefined;
  let before = '';
  for (const line of markdown.slice(0, HEAD).split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (fence) {
      if (mark && line.trim() === mark && mark.startsWith(fence)) fence = undefined;
    } else {
      const words = /^ {0,3}#{1,6}\s+(\S.*)/.exec(line)?.[1]?.trimEnd() ?? (/^ {0,3}(=+|-{2,})\s*$/.test(line) ? before : undefined);
      const title = words && plainWords(words);
      if (title) return title;
    }
    before = fence || /^(\s*$|[-*+>|#]|\d+[.)] )/.test(line) ? '' : line;
  }
  return undefined;
}

/** Without closing marks, links, emphasis, code marks, tags, escapes and `{#anchor}`. */
const plainWords = (markdown: string): string =>
  markdown
    .replace(/(?<!\s)\s+#+\s*$/, '')
    .replace(/(?<!\s)\s*\{#[^{}]*\}\s*$/, '')
    .replace(/!?\[([^[\]]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/(?<![\p{L}\p{N}])([*_])(\S(?:.{0,200}?\S)?)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
