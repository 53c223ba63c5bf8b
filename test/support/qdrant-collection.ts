import { setImmediate as turn } from 'node:timers/promises';
import {
  compareIds,
  filterTest,
  readDense,
  readPoint,
  readSparse,
  type Fields,
  type Id,
  type Json,
  type Point,
  type Sparse,
  type Vectors,
} from './qdrant-points.ts';
import { QdrantRefusal } from './qdrant-refusal.ts';

type Body = Record<string, Json | undefined>;

/** One collection of the test's Qdrant. Writes wait for each other, and are seen point by point while they happen: as there, no request is one step. */
export class QdrantCollection {
  readonly points = new Map<Id, Point>();
  readonly indexes = new Map<string, Json>();
  readonly vectors: Vectors;
  #last: Promise<unknown> = Promise.resolve();

  readonly #made: Body;

  constructor(made: Body) {
    const { vectors, sparse_vectors } = (this.#made = made);
    const named = <T>(given: unknown) => new Map(Object.entries((given ?? {}) as Record<string, T>));
    this.vectors = { dense: named(vectors), sparse: named(sparse_vectors) };
  }

  write(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /** With a condition, points for which it does not hold stay as they are; nothing tells so. */
  upsert({ points, update_filter }: Body): Promise<void> {
    const read = (points as Fields[]).map((point) => readPoint(point, this.vectors));
    const test = filterTest(update_filter);
    return this.write(async () => {
      for (const point of read) {
        const before = this.points.get(point.id);
        if (!before || test(before)) this.points.set(point.id, point);
        await turn();
      }
    });
  }

  setPayload({ payload, filter }: Body): Promise<void> {
    const test = filterTest(filter);
    return this.write(async () => {
      for (const point of [...this.points.values()].filter(test)) {
        Object.assign(point.payload, payload);
        await turn();
      }
    });
  }

  info(): Json {
    const { dense, sparse } = this.vectors;
    const { replication_factor = 1, shard_number = 1 } = this.#made;
    const vectors = { vectors: Object.fromEntries(dense), sparse_vectors: Object.fromEntries(sparse) };
    const payload_schema = Object.fromEntries([...this.indexes].map(([name, data_type]) => [name, { data_type, points: 0 }]));
    return {
      status: 'green',
      points_count: this.points.size,
      config: { params: { replication_factor, shard_number, ...vectors } },
      payload_schema,
    };
  }

  /** Changes how words are weighed. */
  update({ sparse_vectors }: Body): Json {
    for (const [name, { modifier }] of Object.entries(sparse_vectors as Record<string, { modifier?: string }>))
      this.vectors.sparse.set(name, modifier === undefined || modifier === 'none' ? {} : { modifier });
    return true;
  }

  delete({ points, filter }: Body): Promise<void> {
    if ((points === undefined) === (filter === undefined)) throw new QdrantRefusal(400, 'Format error in JSON body: points or filter');
    const test = filterTest(filter);
    return this.write(async () => {
      const ids = (points as Id[] | undefined) ?? [...this.points.values()].filter(test).map(({ id }) => id);
      for (const [i, id] of ids.entries()) {
        this.points.delete(id);
        if (i % 8 === 0) await turn();
      }
    });
  }

  retrieve({ ids, with_payload = true, with_vector = false }: Body): Json {
    return (ids as Id[]).flatMap((id) => {
      const point = this.points.get(id);
      return point ? [record(point, { with_payload, with_vector })] : [];
    });
  }

  count({ filter }: Body): Json {
    return { count: this.#found(filter).length };
  }

  scroll({ filter, limit = 10, offset, with_payload = true, with_vector = false }: Body): Json {
    const found = this.#found(filter).toSorted((a, b) => compareIds(a.id, b.id));
    const rest = offset === undefined || offset === null ? found : found.filter(({ id }) => compareIds(id, offset as Id) >= 0);
    const page = rest.slice(0, limit as number).map((point) => record(point, { with_payload, with_vector }));
    return { points: page, next_page_offset: rest[limit as number]?.id ?? null };
  }

  query({ query, using, filter, limit = 10, with_payload = false, with_vector = false }: Body): Json {
    if (query === undefined) {
      const { points } = this.scroll({ filter, limit, with_payload, with_vector }) as { points: Fields[] };
      return { points: points.map((point) => ({ ...point, version: 0, score: 0 })) };
    }
    const found = this.#found(filter);
    const score = this.#scorer(query, using as string);
    const hits = found.flatMap((point) => {
      const value = score(point);
      return value === undefined ? [] : [{ point, score: Math.fround(value) }];
    });
    const best = hits.toSorted((a, b) => b.score - a.score).slice(0, limit as number);
    return { points: best.map((hit) => ({ ...record(hit.point, { with_payload, with_vector }), version: 0, score: hit.score })) };
  }

  /** As of one shard. */
  #idf(name: string, index: number): number {
    const all = [...this.points.values()].flatMap(({ sparse }) => sparse.get(name) ?? []);
    const holding = all.filter(({ indices }) => indices.includes(index)).length;
    return Math.log1p((all.length - holding + 0.5) / (holding + 0.5));
  }

  #found(filter: unknown): Point[] {
    return [...this.points.values()].filter(filterTest(filter));
  }

  #scorer(query: unknown, using: string): (point: Point) => number | undefined {
    const dense = this.vectors.dense.get(using);
    if (dense) {
      const wanted = readDense(query, dense);
      return ({ dense: own }) => own.get(using)?.reduce((sum, x, i) => sum + x * wanted[i]!, 0);
    }
    const sparse = this.vectors.sparse.get(using);
    if (!sparse) throw new QdrantRefusal(400, `Wrong input: Not existing vector name error: ${using}`);
    const { indices, values } = readSparse(query);
    const weight = new Map(indices.map((index, i) => [index, values[i]! * (sparse.modifier === 'idf' ? this.#idf(using, index) : 1)]));
    return ({ sparse: own }) => dot(own.get(using), weight);
  }
}

/** Undefined where they share nothing: such a point is not found. */
function dot(own: Sparse | undefined, weight: ReadonlyMap<number, number>): number | undefined {
  const shared = own?.indices.flatMap((index, i) => (weight.has(index) ? [weight.get(index)! * own.values[i]!] : []));
  return shared && shared.length > 0 ? shared.reduce((sum, part) => sum + part, 0) : undefined;
}

function record({ id, payload, dense, sparse }: Point, { with_payload, with_vector }: Body): Fields {
  const included = Array.isArray(with_payload)
    ? Object.fromEntries(Object.entries(payload).filter(([key]) => with_payload.includes(key)))
    : payload;
  const vectors: [string, Json][] = [...dense].map(([name, vector]) => [name, Array.from(vector)]);
  for (const [name, { indices, values }] of sparse) vectors.push([name, { indices, values }]);
  const wanted = vectors.filter(([name]) => with_vector === true || (Array.isArray(with_vector) && with_vector.includes(name)));
  return {
    id,
    ...(with_payload === false ? {} : { payload: included }),
    ...(with_vector === false ? {} : { vector: Object.fromEntries(wanted) }),
  };
}
