/** Elements of a page, attributes of an element, and elements within elements, at most: a DOM of more takes a gigabyte, or minutes. */
const MOST_ELEMENTS = 1_000_000;
const MOST_ATTRIBUTES = 10_000;
const DEEPEST = 50_000;
/** What is shorter can exceed none of them: a tag has three characters, an attribute two. */
const SHORT = 2 * MOST_ATTRIBUTES;

/** Elements that have no end, or whose end may be left out: they do not count for depth. */
const UNNESTED =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|dt|dd|tr|td|th|thead|tbody|tfoot|option|optgroup|colgroup|rp|rt|html|head|body)$/i;
const TAG = /<(\/?)([a-z][a-z0-9:-]*)([^<>]*)/gi;

/** Throws an Error that says what there is too much of, before a DOM is built. Tags are counted as they are written, also in scripts and comments. */
export function checkMarkup(html: string): void {
  if (html.length < SHORT) return;
  let elements = 0;
  let depth = 0;
  for (const [, slash, name, rest] of html.matchAll(TAG)) {
    const isNested = !UNNESTED.test(name!);
    if (slash) {
      if (isNested && depth > 0) depth -= 1;
      continue;
    }
    elements += 1;
    if (isNested && !rest!.endsWith('/')) depth += 1;
    if (elements > MOST_ELEMENTS) throw new Error(`it has more than ${MOST_ELEMENTS} elements`);
    if (depth > DEEPEST) throw new Error(`it nests more than ${DEEPEST} elements`);
    if (rest!.length > SHORT && attributesIn(rest!) > MOST_ATTRIBUTES)
      throw new Error(`one of its elements has more than ${MOST_ATTRIBUTES} attributes`);
  }
}

/** How many words a tag has that stand in no quotes. */
const attributesIn = (tag: string): number => tag.replace(/"[^"]*"|'[^']*'/g, '').match(/\S+/g)?.length ?? 0;
