/** Names of the loopback interface; the first replaces the others. */
const LOOPBACK = '127.0.0.1';
const LOCALHOST = /^localhost\.?$/;

/** Matches the port of an address, also 80 and 443, which URL drops. */
const PORT = /^https?:[/\\]{2}[^/\\?#]*:(\d+)(?=[/\\?#\s]|$)/i;

/** Normalizes the address of a server: with its port, without final slash, query and fragment; `localhost` over http as 127.0.0.1. Others stay as they are. */
export function serverAddress(given: string, { port }: { port: number }): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return given;
  const host = url.protocol === 'http:' && LOCALHOST.test(url.hostname) ? LOOPBACK : url.hostname.replace(/\.$/, '');
  return `${url.protocol}//${host}:${Number(PORT.exec(given)?.[1] ?? port)}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** Makes a name by which servers are compared, after `serverAddress`: the same for both names of this machine, and with or without TLS. */
export const serverName = (address: string): string => address.replace(/^https?:\/\//, '').replace(/^localhost(?=:)/, LOOPBACK);
