// Preloaded with `node --import`: writes the address of every module that is loaded to the file that LOADED names.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, `${url}\n`);
    return next(url, context);
  },
});
