import { z } from 'zod';

/** Another form of the lines has another number: a file of one that is not known is begun anew. */
export const FORM = 2;

const Time = z.number(); // milliseconds since 1970
const Place = z.int().min(0); // of an address among all of the file

/** A page: `p` its address, `f` where it led if elsewhere, `n` the address that it names as its own, `s` its source; `a` the addresses that no line before has named, those of the page's own origin from their `/` on. */
export const PageLine = z.object({
  p: Place,
  f: Place.optional(),
  n: Place.optional(),
  s: Place.optional(),
  a: z.array(z.string()).optional(),
  t: Time,
  /** Under which settings it was read. */
  k: z.string(),
  c: z.int(),
  h: z.string(),
  d: z.string().optional(),
  e: z.string().optional(),
  m: z.string().optional(),
  /** Alike. */
  y: z.string().optional(),
  /** Rendered. */
  r: z.literal(1).optional(),
  /** Passed over. */
  o: z.literal(1).optional(),
  /** Its links: the distance of each place from the one before, to the base 36. */
  l: z.string().optional(),
});
export type PageLine = z.infer<typeof PageLine>;

/** What the file says, a line each. Addresses are numbers, in the order in which the lines first name them. */
export const Line = z.union([
  PageLine,
  /** The page was seen again as it was. */
  z.object({ u: Place, t: Time }),
  /** The page is gone. */
  z.object({ x: Place }),
  /** A process began to write. */
  z.object({ o: Time }),
  /** A crawl begins, or goes on (`s`: since when it has been going on). */
  z.object({ b: z.string(), s: Time, t: Time }),
  /** A crawl has ended. */
  z.object({ z: z.string() }),
  /** The first line. */
  z.object({ pages: z.literal(FORM) }),
]);
export type Line = z.infer<typeof Line>;

/** Of an ETag or a date what can be sent back; no one needs more of it. */
export const validator = (header: string | undefined): string | undefined => (header && header.length <= 500 ? header : undefined);

/** Numbers as their distances: those of links that follow each other on many pages of a site are short. */
export function packedNumbers(numbers: readonly number[]): string {
  let before = 0;
  const distances = numbers.map((number) => {
    const distance = (number - before).toString(36);
    before = number;
    return distance;
  });
  return distances.join(' ');
}

/** The numbers of `packedNumbers`. */
export function unpackedNumbers(text = ''): number[] {
  let before = 0;
  return text === '' ? [] : text.split(' ').map((distance) => (before += Number.parseInt(distance, 36)));
}
