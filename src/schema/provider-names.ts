import { z } from 'zod';

/** A name that kb knows, or one that the program around it gave to a driver of its own (see `withOwnNames`): any text, to the types. */
type NameOf<Names extends readonly string[]> = Names[number] | (string & {});
type NameSchema<Names extends readonly string[]> = z.ZodType<NameOf<Names>, NameOf<Names>> & { readonly options: string[] };

const names = <const Names extends readonly [string, ...string[]]>(all: Names): NameSchema<Names> =>
  z.enum(all) as unknown as NameSchema<Names>;

const described = <Schema extends z.ZodType>(schema: Schema, meaning: string): Schema => schema.describe(meaning) as Schema;

/** The name of what kb brings along and that asks nobody: its embedder, its reranker, its answer without a model. */
export const BUNDLED = 'local';

// Who can be asked. The table of src/drivers/providers.ts tells how each is asked; a test holds the two together.

export const LlmProvider = described(
  names(['local', 'openai', 'anthropic', 'gemini', 'groq', 'mistral', 'deepseek', 'openrouter', 'ollama', 'openai_compatible']),
  'Provider of the language model. local quotes the documents without a model; the others read their key from the environment (OPENAI_API_KEY …)',
);

export const EmbeddingProvider = described(
  names(['local', 'none', 'openai', 'voyage', 'cohere', 'gemini', 'mistral', 'jina', 'ollama', 'openai_compatible']),
  'Embedding provider. local is a bundled model; none searches by keyword only; the others read their key from the environment (OPENAI_API_KEY …). Default: the provider of the collection; local for a new one',
);

export const RerankProvider = described(
  names(['local', 'llm', 'cohere', 'jina', 'voyage', 'openai_compatible']),
  'Reranking provider. local compares words and meaning without a model call; llm asks the language model; the others read their key from the environment (COHERE_API_KEY …)',
);

export const VectorDb = described(
  names(['lancedb', 'qdrant']),
  'Vector database. lancedb is embedded and needs no server; qdrant is a server (key: QDRANT_API_KEY in the environment)',
);

/** Names of drivers that are not kb's own, for each kind of driver. */
export interface OwnNames {
  embedders?: readonly string[];
  llms?: readonly string[];
  rerankers?: readonly string[];
  stores?: readonly string[];
}

/** The kinds of drivers that a name chooses, and kb's own names. */
export const DRIVER_KINDS = [
  ['embedders', EmbeddingProvider],
  ['llms', LlmProvider],
  ['rerankers', RerankProvider],
  ['stores', VectorDb],
] as const;

/** The names of what is given as records of drivers. */
export const ownNames = (own: { readonly [Kind in keyof OwnNames]?: Readonly<Record<string, unknown>> | undefined }): OwnNames =>
  Object.fromEntries(DRIVER_KINDS.map(([kind]) => [kind, Object.keys(own[kind] ?? {})]));

type AnyDef = { type: string; [part: string]: unknown };
const defOf = (schema: z.ZodType): AnyDef => schema.def as unknown as AnyDef;

/** The same schema, in which the names of one's own drivers are known beside those of kb: wherever it holds `EmbeddingProvider` or one of the others. */
export function withOwnNames<Schema extends z.ZodType>(schema: Schema, own: OwnNames): Schema {
  const added = new Map(
    DRIVER_KINDS.flatMap(([kind, { def }]) => (own[kind]?.length ? [[(def as unknown as AnyDef).entries, own[kind]]] : [])),
  );
  return (added.size === 0 ? schema : extended(schema, added)) as Schema;
}

/** A schema that holds none of them is itself again. */
function extended(schema: z.ZodType, added: ReadonlyMap<unknown, readonly string[]>): z.ZodType {
  const def = defOf(schema);
  const inside = (value: unknown): unknown => {
    if (value instanceof z.ZodType) return extended(value, added);
    if (Array.isArray(value)) return same(value, value.map(inside));
    return value;
  };
  const change = changeOf(def, { added, inside });
  const isChanged = Object.keys(change).some((part) => change[part] !== def[part]);
  return isChanged ? z.core.clone(schema, { ...def, ...change } as never, { parent: true }) : schema;
}

/** The parts of a schema that hold others, or the names of an enum. */
function changeOf(
  def: AnyDef,
  { added, inside }: { added: ReadonlyMap<unknown, readonly string[]>; inside: (value: unknown) => unknown },
): Record<string, unknown> {
  const more = def.type === 'enum' ? added.get(def.entries) : undefined;
  if (more) return { entries: { ...(def.entries as object), ...Object.fromEntries(more.map((name) => [name, name])) } };
  if (def.type === 'object') {
    const shape = def.shape as Record<string, z.ZodType>;
    const fields = Object.entries(shape).map(([name, field]) => [name, inside(field)] as const);
    return { shape: fields.every(([name, field]) => field === shape[name]) ? shape : Object.fromEntries(fields) };
  }
  const parts = ['innerType', 'options', 'element', 'in', 'out'].filter((part) => part in def);
  return Object.fromEntries(parts.map((part) => [part, inside(def[part])]));
}

const same = (before: readonly unknown[], after: unknown[]): readonly unknown[] =>
  after.every((value, i) => value === before[i]) ? before : after;
