import { z } from 'zod';

/** A built-in name, or the name of a driver of the calling program (see `withOwnNames`); to the type checker, any string. */
type NameOf<Names extends readonly string[]> = Names[number] | (string & {});
type NameSchema<Names extends readonly string[]> = z.ZodType<NameOf<Names>, NameOf<Names>> & { readonly options: string[] };

const names = <const Names extends readonly [string, ...string[]]>(all: Names): NameSchema<Names> =>
  z.enum(all) as unknown as NameSchema<Names>;

const withDescription = <Schema extends z.ZodType>(schema: Schema, meaning: string): Schema => schema.describe(meaning) as Schema;

/** Name of the bundled embedder, reranker and extractive answerer, which call no service. */
export const BUNDLED = 'local';

// The table in src/drivers/providers/providers.ts says how each provider is called; a test keeps the two in step.

/** Names of the language model providers. */
export const LlmProvider = withDescription(
  names(['local', 'openai', 'anthropic', 'gemini', 'groq', 'mistral', 'deepseek', 'openrouter', 'ollama', 'openai_compatible']),
  'Provider of the language model. local quotes the documents without a model; the others read their key from the environment (OPENAI_API_KEY …)',
);

/** Names of the embedding providers. */
export const EmbeddingProvider = withDescription(
  names(['local', 'none', 'openai', 'voyage', 'cohere', 'gemini', 'mistral', 'jina', 'ollama', 'openai_compatible']),
  'Embedding provider. local is a bundled model; none searches by keyword only; the others read their key from the environment (OPENAI_API_KEY …). Default: the provider of the collection; local for a new one',
);

/** Names of the reranking providers. */
export const RerankProvider = withDescription(
  names(['local', 'llm', 'cohere', 'jina', 'voyage', 'openai_compatible']),
  'Reranking provider. local compares words and meaning without a model call; llm asks the language model; the others read their key from the environment (COHERE_API_KEY …)',
);

/** Names of the vector databases. */
export const VectorDb = withDescription(
  names(['lancedb', 'qdrant']),
  'Vector database. lancedb is embedded and needs no server; qdrant is a server (key: QDRANT_API_KEY in the environment)',
);

/** Names of the drivers that the calling program adds, by kind of driver. */
export interface OwnNames {
  embedders?: readonly string[];
  llms?: readonly string[];
  rerankers?: readonly string[];
  stores?: readonly string[];
}

/** Kinds of drivers that are chosen by name, each with the schema of its built-in names. */
export const DRIVER_KINDS = [
  ['embedders', EmbeddingProvider],
  ['llms', LlmProvider],
  ['rerankers', RerankProvider],
  ['stores', VectorDb],
] as const;

/** Lists the names of added drivers, which are given as one record per kind. */
export const ownNames = (own: { readonly [Kind in keyof OwnNames]?: Readonly<Record<string, unknown>> | undefined }): OwnNames =>
  Object.fromEntries(DRIVER_KINDS.map(([kind]) => [kind, Object.keys(own[kind] ?? {})]));

type AnyDef = { type: string; [part: string]: unknown };
const defOf = (schema: z.ZodType): AnyDef => schema.def as unknown as AnyDef;

/**
 * Returns the schema with the names of added drivers allowed beside the built-in ones, wherever it uses `EmbeddingProvider` or one of the
 * others.
 */
export function withOwnNames<Schema extends z.ZodType>(schema: Schema, own: OwnNames): Schema {
  const added = new Map(
    DRIVER_KINDS.flatMap(([kind, { def }]) => (own[kind]?.length ? [[(def as unknown as AnyDef).entries, own[kind]]] : [])),
  );
  return (added.size === 0 ? schema : extendEnums(schema, added)) as Schema;
}

/** Extends the enums inside a schema; returns the same object if it contains none of them. */
function extendEnums(schema: z.ZodType, added: ReadonlyMap<unknown, readonly string[]>): z.ZodType {
  const def = defOf(schema);
  const extendValue = (value: unknown): unknown => {
    if (value instanceof z.ZodType) return extendEnums(value, added);
    if (Array.isArray(value)) return keepIfSame(value, value.map(extendValue));
    return value;
  };
  const change = changeOf(def, { added, inside: extendValue });
  const isChanged = Object.keys(change).some((part) => change[part] !== def[part]);
  return isChanged ? z.core.clone(schema, { ...def, ...change } as never, { parent: true }) : schema;
}

/** Computes the changed parts of a schema definition: nested schemas, or the names of an enum. */
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

const keepIfSame = (before: readonly unknown[], after: unknown[]): readonly unknown[] =>
  after.every((value, i) => value === before[i]) ? before : after;
