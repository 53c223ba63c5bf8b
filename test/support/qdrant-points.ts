import { QdrantRefusal } from './qdrant-refusal.ts';

// What Qdrant does with points, in memory: payload paths, filters, vectors. Written from its REST interface (https://api.qdrant.tech); what is not here is
// refused, so that no test passes because something was passed over.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: Json };
export type Id = number | string;

export interface Sparse {
  indices: number[];
  values: number[];
}

export interface Point {
  id: Id;
  payload: Fields;
  dense: Map<string, Float32Array>;
  sparse: Map<string, Sparse>;
}

export interface Vectors {
  dense: Map<string, { size: number; distance: string }>;
  sparse: Map<string, { modifier?: string }>;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values at a path (`a.b`, `a[].b`); a list gives its items, as conditions see them. */
function valuesAt(payload: Json, path: string): Json[] {
  let values: Json[] = [payload];
  for (const part of path.split('.')) {
    const isList = part.endsWith('[]');
    const name = isList ? part.slice(0, -2) : part;
    if (!/^[A-Za-z0-9_-]+$/.test(name)) throw new QdrantRefusal(400, `Format error in JSON body: Invalid json path: '${path}'`);
    values = values.flatMap((value) => (isFields(value) && Object.hasOwn(value, name) ? [value[name]!] : []));
    if (isList) values = values.flatMap((value) => (Array.isArray(value) ? value : []));
  }
  return values.flatMap((value) => (Array.isArray(value) ? value : [value]));
}

type Test = (point: Point) => boolean;

const asList = (value: unknown): unknown[] => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);

function only(given: Fields, known: readonly string[]): void {
  const strange = Object.keys(given).find((key) => !known.includes(key));
  if (strange !== undefined) throw new QdrantRefusal(400, `Format error in JSON body: data did not match any variant: ${strange}`);
}

/** A filter as a test of points. Throws a refusal for what is no filter. */
export function filterTest(filter: unknown): Test {
  if (filter === undefined || filter === null) return () => true;
  if (!isFields(filter)) throw new QdrantRefusal(400, 'Format error in JSON body: invalid filter');
  only(filter, ['must', 'should', 'must_not']);
  const [must, should, not] = [filter['must'], filter['should'], filter['must_not']].map((part) => asList(part).map(conditionTest));
  return (point) =>
    must!.every((test) => test(point)) &&
    (should!.length === 0 || should!.some((test) => test(point))) &&
    !not!.some((test) => test(point));
}

function conditionTest(condition: unknown): Test {
  if (!isFields(condition)) throw new QdrantRefusal(400, 'Format error in JSON body: invalid condition');
  if ('key' in condition) return fieldTest(condition);
  if ('is_empty' in condition) {
    const { key } = condition['is_empty'] as { key: string };
    return ({ payload }) => valuesAt(payload, key).every((value) => value === null);
  }
  if ('has_id' in condition) {
    const ids = new Set(asList(condition['has_id']));
    return ({ id }) => ids.has(id);
  }
  if ('nested' in condition) {
    const { key, filter } = condition['nested'] as { key: string; filter: Json };
    const test = filterTest(filter);
    const path = key.endsWith('[]') ? key : `${key}[]`;
    return (point) => valuesAt(point.payload, path).some((item) => isFields(item) && test({ ...point, payload: item }));
  }
  return filterTest(condition);
}

function fieldTest(condition: Fields): Test {
  only(condition, ['key', 'match', 'range']);
  const path = condition['key'] as string;
  const test = condition['match'] !== undefined ? matchTest(condition['match'] as Fields) : rangeTest(condition['range'] as Fields);
  return ({ payload }) => valuesAt(payload, path).some(test);
}

function matchTest(match: Fields): (value: Json) => boolean {
  only(match, ['value', 'any']);
  const wanted = new Set('any' in match ? (match['any'] as Json[]) : [match['value']!]);
  if (new Set([...wanted].map((value) => typeof value)).size > 1)
    throw new QdrantRefusal(400, 'Format error in JSON body: data did not match any variant of untagged enum AnyVariants');
  return (value) => wanted.has(value);
}

function rangeTest(range: Fields): (value: Json) => boolean {
  only(range, ['gt', 'gte', 'lt', 'lte']);
  const { gt, gte, lt, lte } = range as Record<string, number | undefined>;
  if (![gt, gte, lt, lte].every((bound) => bound === undefined || typeof bound === 'number'))
    throw new QdrantRefusal(400, 'Format error in JSON body: data did not match any variant of untagged enum RangeInterface');
  return (value) =>
    typeof value === 'number' &&
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Numbers before UUIDs, each in its order. */
export const compareIds = (a: Id, b: Id): number => {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
};

/** A point as it was sent, checked against the vectors of the collection. */
export function readPoint(given: Fields, vectors: Vectors): Point {
  only(given, ['id', 'vector', 'payload']);
  const { id, vector, payload } = given as { id: Id; vector?: Fields; payload?: Fields };
  if (!(typeof id === 'number' ? Number.isSafeInteger(id) && id >= 0 : UUID.test(id)))
    throw new QdrantRefusal(
      400,
      `Format error in JSON body: value ${id} is not a valid point ID, valid values are either an unsigned integer or a UUID`,
    );
  if (!isFields(vector)) throw new QdrantRefusal(400, 'Wrong input: Conversion between multi and regular vectors failed');
  const point: Point = { id, payload: payload ?? {}, dense: new Map(), sparse: new Map() };
  for (const [name, value] of Object.entries(vector)) {
    if (vectors.dense.has(name)) point.dense.set(name, readDense(value, vectors.dense.get(name)!));
    else if (vectors.sparse.has(name)) point.sparse.set(name, readSparse(value));
    else throw new QdrantRefusal(400, `Wrong input: Not existing vector name error: ${name}`);
  }
  return point;
}

/** A vector as a Cosine collection keeps it: of unit length, but for one that nearly is and one of zeros. */
export function readDense(value: unknown, { size, distance }: { size: number; distance: string }): Float32Array {
  if (!Array.isArray(value) || value.some((number) => typeof number !== 'number'))
    throw new QdrantRefusal(400, 'Format error in JSON body: data did not match any variant of untagged enum VectorStruct');
  if (value.length !== size)
    throw new QdrantRefusal(400, `Wrong input: Vector dimension error: expected dim: ${size}, got ${value.length}`);
  const vector = Float32Array.from(value as number[]);
  if (distance !== 'Cosine') throw new QdrantRefusal(400, `The test server knows no distance ${distance}`);
  const squares = vector.reduce((sum, x) => Math.fround(sum + Math.fround(x * x)), 0);
  if (squares < 1.1920929e-7 || Math.abs(squares - 1) <= 1e-6) return vector;
  const length = Math.fround(Math.sqrt(squares));
  return vector.map((x) => x / length);
}

export function readSparse(value: unknown): Sparse {
  const { indices, values } = value as Sparse;
  const isRight =
    Array.isArray(indices) &&
    Array.isArray(values) &&
    indices.length === values.length &&
    new Set(indices).size === indices.length &&
    indices.every((index) => Number.isInteger(index) && index >= 0 && index < 2 ** 32) &&
    values.every((number) => typeof number === 'number');
  if (!isRight) throw new QdrantRefusal(422, 'Validation error in JSON body: [vector: must be unique indices, and as many values]');
  return { indices, values };
}
