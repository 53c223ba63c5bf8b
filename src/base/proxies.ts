import { KbError } from './errors.ts';
import { decoded } from './http-message.ts';
import { shown } from './secrets.ts';

/** A proxy as the environment names it. */
interface Named {
  variable: string;
  value: string;
}

/** Which proxies are asked, and for which hosts none is. */
export interface Proxies {
  http: Named | undefined;
  https: Named | undefined;
  none: readonly string[];
}

/** What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say, in capitals or not. This machine is never asked for through a proxy. */
export function proxiesIn(environment: NodeJS.ProcessEnv): Proxies {
  const named = (name: string): Named | undefined => {
    const variable = environment[name.toLowerCase()] === undefined ? name : name.toLowerCase();
    const value = environment[variable]?.trim();
    return value ? { variable, value } : undefined;
  };
  const spared =
    named('NO_PROXY')
      ?.value.toLowerCase()
      .split(/[,\s]+/) ?? [];
  return {
    http: named('HTTP_PROXY'),
    https: named('HTTPS_PROXY'),
    none: [...spared, 'localhost', '127.0.0.1', '[::1]'].filter(Boolean),
  };
}

/**
 * The proxy that a connection to `url` goes through, or undefined for none. `NO_PROXY` is read as curl and undici read it: `*`, hosts and their subdomains, `*.` for
 * subdomains alone, each with a port or without. Throws a KbError (`setup`) that names the variable, where that holds no address of a proxy.
 */
export function proxyFor(url: URL, { http, https, none }: Proxies): URL | undefined {
  const named = url.protocol === 'https:' ? (https ?? http) : http;
  return named === undefined || none.some((entry) => spares(entry, url)) ? undefined : addressIn(named);
}

/** As curl takes it: without a scheme it is `http://`. */
function addressIn({ variable, value }: Named): URL {
  const address = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new KbError('setup', `The environment variable ${variable} is «${shown(address)}», which is no HTTP proxy.`, {
      hint: 'Set it to an address such as http://proxy.example:3128, name in NO_PROXY the hosts that need no proxy, or unset it.',
    });
  url.username = encodeURIComponent(decoded(url.username));
  url.password = encodeURIComponent(decoded(url.password));
  return url;
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
