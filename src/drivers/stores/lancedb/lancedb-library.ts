/** LanceDB. The build bundles it into this file: the package would also install transformers.js and a second OpenAI client, 600 MB. */
export { connect, Index, MatchQuery, Session } from '@lancedb/lancedb';
