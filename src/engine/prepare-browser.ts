import { progress, type Run } from '../core/run.ts';
import { setUpBrowser } from '../drivers/browser/install-browser.ts';
import type { SetupBrowserRequest, SetupBrowserResult } from '../schema/diagnosis.ts';
import type { Context } from './context.ts';

/** Finds a Chrome or Chromium that starts, or installs one. */
export async function* setupBrowser(_request: SetupBrowserRequest, { signal }: Context): Run<SetupBrowserResult> {
  const work = setUpBrowser({ signal });
  const { path, version, isInstalled } = yield* withProgress(work);
  const message = isInstalled
    ? `Chromium ${version} was installed at ${path}, and starts: pages can be rendered.`
    : `Version ${version} of ${path} was found, and starts: pages can be rendered, nothing was installed.`;
  return { browser: path, version, installed: isInstalled, message };
}

async function* withProgress<Result>(work: AsyncGenerator<string, Result, void>): Run<Result> {
  try {
    for (;;) {
      const step = await work.next();
      if (step.done) return step.value;
      yield progress('setup', {}, step.value);
    }
  } finally {
    await work.return(undefined as never); // who stops listening stops the installer
  }
}
