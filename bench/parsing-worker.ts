// One of the threads that bench/parsing.ts compares with: kb's parsers, in the way that its processes call them.
import { parseTasks } from '../src/drivers/parsers/process/parse-tasks.ts';

export default parseTasks;
