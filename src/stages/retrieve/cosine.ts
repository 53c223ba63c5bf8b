/** The cosine of two vectors. Those of an embedder are of unit length, but a stored one may have come from elsewhere. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
  let [product, lengthA, lengthB] = [0, 0, 0];
  for (let axis = 0; axis < a.length; axis++) {
    product += a[axis]! * b[axis]!;
    lengthA += a[axis]! ** 2;
    lengthB += b[axis]! ** 2;
  }
  return product === 0 ? 0 : product / Math.sqrt(lengthA * lengthB);
}
