/** Which proxies are asked, and for which hosts none is. */
export interface Proxies {
  httpProxy: string;
  httpsProxy: string;
  noProxy: string;
}

/** What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say, in capitals or not. This machine is never asked for through a proxy. */
export function proxiesIn(environment: NodeJS.ProcessEnv): Proxies {
  const named = (name: string) => environment[name.toLowerCase()] ?? environment[name] ?? '';
  return {
    httpProxy: named('HTTP_PROXY'),
    httpsProxy: named('HTTPS_PROXY'),
    noProxy: [named('NO_PROXY'), 'localhost', '127.0.0.1', '[::1]'].filter(Boolean).join(','),
  };
}

/** The proxy that a connection to `url` goes through, or undefined for none. `NO_PROXY` is read as undici reads it: `*`, hosts and their subdomains, `*.` for subdomains alone, each with a port or without. */
export function proxyFor(url: URL, { httpProxy, httpsProxy, noProxy }: Proxies): URL | undefined {
  const named = url.protocol === 'https:' ? httpsProxy || httpProxy : httpProxy;
  if (!named || noProxy.split(/[,\s]+/).some((entry) => entry !== '' && spares(entry.toLowerCase(), url))) return undefined;
  return new URL(/^https?:/.test(named) ? named : `http://${named}`);
}

/** Whether an entry of `NO_PROXY` stands for the host of `url`. */
function spares(entry: string, url: URL): boolean {
  const [, bracketed, plain = entry, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  if (port && Number(port) !== Number(url.port || (url.protocol === 'https:' ? 443 : 80))) return false;
  const name = bracketed ?? plain;
  if (name === '*') return true;
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const suffix = name.replace(/^\*?\./, '').replace(/\.$/, '');
  return (host === suffix && !name.startsWith('*')) || host.endsWith(`.${suffix}`);
}
