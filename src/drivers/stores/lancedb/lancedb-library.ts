/** LanceDB. The build puts it into this file: installed as a package, it brings transformers.js and a second client of OpenAI along, 600 MB. */
export { connect, Index, MatchQuery, Session } from '@lancedb/lancedb';
