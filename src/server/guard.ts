import { createHash, timingSafeEqual } from 'node:crypto';
import { KbError } from '../base/errors.ts';
import type { Server } from '../schema/config-server.ts';
import { refusal, type Failure } from './failures.ts';

/** Characters of a token, at least. */
const SHORTEST_TOKEN = 16;

/** Names of this machine's own interface. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host of the configuration is reached from this machine alone. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Refuses to serve others than this machine without a token, or a gateway that was named. Throws a KbError (`configuration`). */
export function assertGuarded({ host, auth }: Pick<Server, 'host' | 'auth'>, token: string | undefined): void {
  if (token && !/^[\x21-\x7e]+$/.test(token)) {
    throw new KbError('configuration', 'KB_SERVER_TOKEN holds a blank or a letter that no header can carry.', {
      hint: 'Make one with «openssl rand -hex 32».',
    });
  }
  if (token !== undefined && token.length >= SHORTEST_TOKEN) return;
  if (token) {
    throw new KbError('configuration', `KB_SERVER_TOKEN is too short: it needs at least ${SHORTEST_TOKEN} characters.`, {
      hint: 'Make one with «openssl rand -hex 32».',
    });
  }
  if (isLoopback(host) || auth === 'gateway') return;
  throw new KbError('configuration', `To listen on ${host}, which others can reach, kb serve needs a token in KB_SERVER_TOKEN.`, {
    hint: `Set it to at least ${SHORTEST_TOKEN} characters, such as those of «openssl rand -hex 32», or listen on 127.0.0.1. Where a gateway before it lets callers in, and nothing else can reach it, set server.auth to gateway.`,
  });
}

export interface Asked {
  headers: { host?: string | undefined; origin?: string | undefined; authorization?: string | undefined };
  /** The path of the route that was found; undefined where there is none. */
  route: string | undefined;
}

export interface GuardOptions extends Pick<Server, 'allowed_hosts' | 'cors_origins'> {
  token: string | undefined;
}

/**
 * Who may speak to the server (contract, "Safe by default"). With a token: whoever shows it; without one: programs of this machine, or what calls the server by one
 * of its `allowed_hosts`, and web pages of its own. Gives the answer to a request that is refused.
 */
export function createGuard({ token, allowed_hosts, cors_origins }: GuardOptions): (asked: Asked) => Failure | undefined {
  const expected = token ? digest(token) : undefined;
  const isAllowed = hostsIn(allowed_hosts);
  return ({ headers, route }) => {
    if (expected) return route === '/v1/health' || shows(headers.authorization, expected) ? undefined : unauthenticated();
    const { host = '', origin } = headers;
    const name = host.replace(/:\d+$/, '');
    const isOfGateway = isAllowed(name);
    if (!isOfGateway && !isLoopback(name))
      return refusal(
        403,
        'The Host header is no name of this machine. To serve other names, list them in server.allowed_hosts, or set KB_SERVER_TOKEN.',
      );
    const own = [`http://${host}`, ...(isOfGateway ? [`https://${host}`] : [])]; // a gateway may speak TLS, kb itself does not
    if (origin === undefined || own.includes(origin) || cors_origins.includes(origin)) return undefined;
    return refusal(403, 'Web pages of this origin may not use the server. The operator can list it in server.cors_origins.');
  };
}

/** Whether a name is in the list; `*.` stands for one name or more before the rest. */
function hostsIn(allowed: readonly string[]): (name: string) => boolean {
  const [wild, whole] = [true, false].map((isWild) =>
    allowed.filter((name) => name.startsWith('*.') === isWild).map((name) => name.toLowerCase()),
  );
  const names = new Set(whole);
  const ends = wild!.map((name) => name.slice(1));
  return (name) => {
    const called = name.toLowerCase();
    return names.has(called) || (/^[a-z0-9_-][a-z0-9._-]*$/.test(called) && ends.some((end) => called.endsWith(end)));
  };
}

const unauthenticated = (): Failure => ({
  status: 401,
  body: {
    error: { type: 'AuthenticationError', message: "The header «Authorization: Bearer …» with the server's token is missing or wrong." },
  },
  isOurs: false,
});

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Digests are compared, which are of one length, in a time that does not depend on how much of them is right. */
function shows(header: string | undefined, expected: Buffer): boolean {
  const [, given] = /^Bearer (\S+)$/i.exec(header ?? '') ?? [];
  return given !== undefined && timingSafeEqual(digest(given), expected);
}
