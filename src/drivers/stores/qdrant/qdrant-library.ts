/** Qdrant's client. The build bundles it into this file: the package would also install the TypeScript compiler. */
export { QdrantClient, QdrantClientResourceExhaustedError } from '@qdrant/js-client-rest';
