// A server's jobs in a process of their own, for the tests: node jobs-process.ts FOLDER. It says the id of a job that never ends.
import { openJobs } from '../../src/server/jobs/jobs.ts';
import { scriptedEngine } from './scripted-engine.ts';

const { engine, runs } = scriptedEngine();
const jobs = await openJobs({ engine, folder: process.argv[2]! });
const { id } = await jobs.start('ingest', {});
runs[0]!.say({ data: { stored: 7 } });
setInterval(() => {}, 1_000);
process.stdout.write(`${id}\n`);
