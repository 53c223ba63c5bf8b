/** The extension of a file, the slash of a folder. */
const ENDING = /(?<=[^/])(?:\.[^./]*)?\/?$/;

/** Makes names distinct, in their order: a repeated one gets a number before its ending, `a (2).txt`. */
export function distinctNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  const taken = new Set(names);
  const counts = new Map<string, number>();
  return names.map((name) => {
    if (!seen.has(name)) {
      seen.add(name);
      return name;
    }
    const [ending = ''] = ENDING.exec(name) ?? [];
    const stem = name.slice(0, name.length - ending.length);
    let count = counts.get(name) ?? 1;
    let numbered: string;
    do numbered = `${stem} (${++count})${ending}`;
    while (taken.has(numbered));
    counts.set(name, count);
    taken.add(numbered);
    return numbered;
  });
}
