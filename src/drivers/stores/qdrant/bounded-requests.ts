import type { Point } from './qdrant-connection.ts';

/** Points and bytes (by estimate; Qdrant takes 32 MiB) of one request. */
const POINTS = 256;
const BYTES = 8 * 2 ** 20;

/** Points as lists, each of which one request takes. */
export function* boundedRequests(points: readonly Point[]): Generator<Point[], void, void> {
  let [request, bytes]: [Point[], number] = [[], 0];
  for (const point of points) {
    const size = sizeOf(point);
    if (request.length === POINTS || (request.length > 0 && bytes + size > BYTES)) {
      yield request;
      [request, bytes] = [[], 0];
    }
    request.push(point);
    bytes += size;
  }
  if (request.length > 0) yield request;
}

/** Bytes of a point as JSON, at most and roughly: three a letter, 22 a number. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 3 * value.length;
  if (Array.isArray(value) && typeof value[0] === 'number') return 22 * value.length;
  if (typeof value !== 'object' || value === null) return 22;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + 6 + sizeOf(item), 0);
}
