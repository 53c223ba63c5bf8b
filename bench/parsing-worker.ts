import { parseTasks } from '../packages/documents/src/parse.ts';

// One of the threads that bench/parsing.ts compares with: kb's parsers, in the way that its processes call them.

export default parseTasks;
