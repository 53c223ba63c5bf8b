import { ensureBuilt } from '../../scripts/prepare.mjs';

/** Before the tests that run the program: it is built, where a source is newer than what was built. */
export const setup = () => ensureBuilt();
