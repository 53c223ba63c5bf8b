import { KbError } from './errors.ts';

const REFERENCE = /\$\{(\w+)\}/g;

/** Whether a text refers to a variable of the environment: `${NAME}`. */
export const isReferring = (text: string): boolean => text.search(REFERENCE) >= 0;

/** What a text says itself, beside what it refers to. */
export const withoutReferences = (text: string): string => text.replace(REFERENCE, '');

/** The same structure with the values of variables in the places of `${NAME}`; a reference to one that is not set stays. */
export function filledIn(value: unknown, environment: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') return value.replace(REFERENCE, (reference, name: string) => environment[name] ?? reference);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, environment)]));
}

/**
 * The error of the first reference that was not filled in, with the variable and its place under `where`; undefined where there is none. Values are not
 * repeated. `setup` where a variable is to be set; `usage` where the text came with a request over HTTP (`isRequested`), in which nothing is filled in.
 */
export function unsetReference(
  value: unknown,
  where: string,
  { isRequested = false }: { isRequested?: boolean } = {},
): KbError | undefined {
  if (typeof value === 'string') {
    const variable = /\$\{(\w+)\}/.exec(value)?.[1];
    if (variable === undefined) return undefined;
    return isRequested ? unfilled(where, variable) : unset(where, variable);
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = unsetReference(inner, `${where}${where === '' ? '' : '.'}${key}`, { isRequested });
    if (found) return found;
  }
  return undefined;
}

const unset = (where: string, variable: string): KbError =>
  new KbError('setup', `${where} refers to the variable ${variable}, which is not set.`, {
    hint: `Set ${variable} in the environment, or in a file .env beside kb.config.yaml.`,
  });

const unfilled = (where: string, variable: string): KbError =>
  new KbError('usage', `${where} holds \${${variable}}, in whose place a request over HTTP gets nothing.`, {
    hint: "Send the value itself, or have the server's kb.config.yaml give it to that origin (network.sites).",
  });
