import type { Block } from './shapes.ts';
import { childNamed, childrenNamed, textWithin, type Element } from './xml.ts';

/** Deeper items stand under the last that is indented. */
const MOST_INDENTED = 8;

/** The points of a diagram (SmartArt, ECMA-376 part 1, 21.4) as the items of a list, nested as its connections nest them. */
export function diagramItems(data: Element): Block[] {
  const points = new Map((childNamed(data, 'ptLst')?.children ?? []).map((point) => [point.attributes['modelId'] ?? '', point]));
  const below = Map.groupBy(connectionsOf(data), ({ from }) => from);
  const seen = new Set<string>();
  const items: Block[] = [];
  const visit = (root: string, depth: number): void => {
    const pending = [{ id: root, depth }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const point = points.get(next.id);
      if (!point || seen.has(next.id)) continue;
      seen.add(next.id);
      items.push(...linesOf(point, Math.max(0, next.depth)));
      const inner = (below.get(next.id) ?? []).toSorted((a, b) => b.order - a.order); // the last is taken first
      for (const { to } of inner) pending.push({ id: to, depth: next.depth + 1 });
    }
  };
  for (const [id, point] of points) if (point.attributes['type'] === 'doc') visit(id, -1);
  for (const id of points.keys()) visit(id, 0);
  return items;
}

const connectionsOf = (data: Element) =>
  (childNamed(data, 'cxnLst')?.children ?? [])
    .filter(({ attributes }) => (attributes['type'] ?? 'parOf') === 'parOf')
    .map(({ attributes: { srcId = '', destId = '', srcOrd } }) => ({ from: srcId, to: destId, order: Number(srcOrd) || 0 }));

/** What a point says; connectors and what arranges the points say nothing. */
function linesOf(point: Element, depth: number): Block[] {
  const type = point.attributes['type'] ?? 'node';
  const said = childNamed(point, 't');
  if (!said || (type !== 'node' && type !== 'asst')) return [];
  const indent = '  '.repeat(Math.min(MOST_INDENTED, depth));
  return childrenNamed(said, 'p')
    .map((paragraph) => textWithin(paragraph, 't').replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .map((text) => ({ isItem: true, text: `${indent}- ${text}` }));
}
