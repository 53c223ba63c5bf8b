/** White space that a passage may be cut at: no non-breaking kind. */
export function isSpace(code: number): boolean {
  return (
    code === 32 || (code >= 9 && code <= 13) || code === 0x3000 || code === 0x2028 || code === 0x2029 || (code >= 0x2000 && code <= 0x200a)
  );
}

/** White space of every kind: nothing that a chunk would be made of. */
const isBlank = (code: number): boolean =>
  isSpace(code) || code === 0xa0 || code === 0xfeff || code === 0x1680 || code === 0x202f || code === 0x205f;

/** The first offset from `offset` on that holds something; `end` where nothing does. */
export function skipSpace(text: string, offset: number, end: number): number {
  let at = offset;
  while (at < end && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

/** The end of `start` to `end` without the white space at its end. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at;
}
