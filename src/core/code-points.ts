/** Orders texts by the code points of their characters, as stores do; `<` compares UTF-16 units. */
export const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
