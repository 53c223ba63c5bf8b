import { configureGlobal } from 'fast-check';

/** Property tests try the same cases in each run, so that a run can be repeated. `KB_TEST_SEED=random` tries others; a number repeats those of a failure. */
const seed = process.env['KB_TEST_SEED'] ?? '1';
if (seed !== 'random') configureGlobal({ seed: Number(seed) });
