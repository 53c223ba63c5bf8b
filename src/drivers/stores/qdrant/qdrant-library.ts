/** Qdrant's client. The build puts it into this file: installed as a package, it brings the TypeScript compiler along. */
export { QdrantClient, QdrantClientResourceExhaustedError } from '@qdrant/js-client-rest';
