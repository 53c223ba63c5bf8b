import { identifiersOf } from './identifiers.ts';
import type { Passage } from './passages.ts';

/** Tells the rows and items about another code than those that are asked for, where there is one about these. */
export function isOther(passages: readonly Passage[], question: string): (passage: Passage) => boolean {
  const asked = new Set(identifiersOf(question).flatMap((identifier) => ('code' in identifier ? identifier.code.toLowerCase() : [])));
  const isThere = passages.some(({ code }) => code !== undefined && asked.has(code));
  return ({ code }) => isThere && code !== undefined && !asked.has(code);
}
