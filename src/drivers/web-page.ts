import { KbError } from '../base/errors.ts';
import { shown } from '../base/secrets.ts';

/** The same `fetch`, that takes a web page for no answer: who stands between here and a provider (a login page of a network, a proxy, a gateway) sends one, with status 200. */
export const withoutWebPages =
  (ask: typeof fetch, { provider, base_url }: { provider: string; base_url: string }): typeof fetch =>
  async (input, init) => {
    const response = await ask(input, init);
    if (!response.ok || !/^(?:text\/html|application\/xhtml)/i.test(response.headers.get('content-type') ?? '')) return response;
    const title = titleOf(await response.text());
    throw new KbError(
      'configuration',
      `${provider} did not answer: a web page${title && ` («${title}»)`} came from ${shown(base_url)} instead.`,
      {
        hint: 'Check the address, the proxy, and whether the network wants a login first.',
      },
    );
  };

/** What a page calls itself, in a few words. */
function titleOf(html: string): string {
  const [, title = ''] = /<title[^<>]*>([^<]{1,500})/i.exec(html) ?? [];
  return title
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, 80);
}
