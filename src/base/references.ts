import { KbError } from './errors.ts';

const REFERENCE = /\$\{(\w+)\}/g;

/** Whether a text refers to a variable of the environment: `${NAME}`. */
export const isReferring = (text: string): boolean => text.search(REFERENCE) >= 0;

/** The same structure with the values of variables in the places of `${NAME}`; a reference to one that is not set stays. */
export function filledIn(value: unknown, environment: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') return value.replace(REFERENCE, (reference, name: string) => environment[name] ?? reference);
  if (Array.isArray(value)) return value.map((item) => filledIn(item, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filledIn(inner, environment)]));
}

/** The error (`setup`) of the first reference that was not filled in, with the variable and its place under `where`; undefined where there is none. Values are not repeated. */
export function unsetReference(value: unknown, where: string): KbError | undefined {
  if (typeof value === 'string') {
    const variable = /\$\{(\w+)\}/.exec(value)?.[1];
    if (variable === undefined) return undefined;
    return new KbError('setup', `${where} refers to the variable ${variable}, which is not set.`, {
      hint: `Set ${variable} in the environment, or in a file .env beside kb.config.yaml. Requests over HTTP name no variables.`,
    });
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = unsetReference(inner, `${where}${where === '' ? '' : '.'}${key}`);
    if (found) return found;
  }
  return undefined;
}
