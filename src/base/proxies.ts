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
