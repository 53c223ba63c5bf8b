import type { CDPSession } from 'playwright';
import type { Pass } from './guard-proxy.ts';

/** What holds for the requests of one page. */
export interface Rules {
  /** Goes with every request to this origin and with no other. */
  given: { origin: string; headers: Readonly<Record<string, string>> };
  /** How often the page itself may lead elsewhere, by redirects and by scripts. */
  max_redirects: number;
  /** Unpacked, everything that the page loads. */
  max_bytes: number;
  onTooManyRedirects(): void;
  onTooManyBytes(): void;
}

/** The answer that the page itself came with. */
export interface MainAnswer {
  url: string;
  status: number;
  retry_after: string | undefined;
}

/** What a tab asks for and gets. */
export interface Traffic {
  begin(rules: Rules): void;
  /** How many scripts and requests of scripts are under way. */
  pending(): number;
  /** Whether scripts have asked for anything since `begin`. */
  isBusy(): boolean;
  /** Where the page was asked for last. */
  at(): string | undefined;
  main(): MainAnswer | undefined;
}

/** Not loaded: nothing of it becomes text. */
const LEFT_OUT = new Set(['Image', 'Media', 'Font', 'TextTrack', 'Ping', 'Prefetch', 'Manifest', 'CSPViolationReport']);
/** Waited for: what makes text of a page. */
const AWAITED = new Set(['Script', 'XHR', 'Fetch']);

interface Paused {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string; headers: Record<string, string> };
}

/** What has happened since a page was begun. */
class Seen implements Traffic {
  rules: Rules | undefined;
  readonly #pending = new Set<string>();
  #asked = 0;
  #hops = 0;
  #bytes = 0;
  #at: string | undefined;
  #main: MainAnswer | undefined;

  begin(rules: Rules): void {
    this.rules = rules;
    this.#pending.clear();
    this.#asked = this.#hops = this.#bytes = 0;
    this.#at = this.#main = undefined;
  }

  /** The page is asked for at this address. False where it has led too far. */
  goes(url: string): boolean {
    this.#at = url;
    if (!this.rules || ++this.#hops <= this.rules.max_redirects + 1) return true;
    this.rules.onTooManyRedirects();
    return false;
  }

  starts(requestId: string, type: string): void {
    this.#pending.add(requestId);
    if (type !== 'Script') this.#asked++;
  }

  ends({ requestId }: { requestId: string }): void {
    this.#pending.delete(requestId);
  }

  receives(bytes: number): void {
    this.#bytes += bytes;
    if (this.rules && this.#bytes > this.rules.max_bytes) this.rules.onTooManyBytes();
  }

  answers(main: MainAnswer): void {
    this.#main = main;
    this.#pending.clear(); // of the page before
  }

  pending = () => this.#pending.size;
  isBusy = () => this.#asked > 0;
  at = () => this.#at;
  main = () => this.#main;
}

/** Watches and steers the requests of a tab, and lets it through the proxy. */
export async function watchTraffic(session: CDPSession, pass: Pass): Promise<Traffic> {
  const seen = new Seen();
  const { frameTree } = await session.send('Page.getFrameTree');
  const isPage = (type: string | undefined, frameId: string | undefined) => type === 'Document' && frameId === frameTree.frame.id;
  steer(session, pass, { seen, isPage });
  session.on('Network.requestWillBeSent', ({ requestId, type = '' }) => void (AWAITED.has(type) && seen.starts(requestId, type)));
  session.on('Network.loadingFinished', (request) => seen.ends(request));
  session.on('Network.loadingFailed', (request) => seen.ends(request));
  session.on('Network.dataReceived', ({ dataLength }) => seen.receives(dataLength));
  session.on('Network.responseReceived', ({ type, frameId, response: { url, status, headers } }) => {
    if (isPage(type, frameId)) seen.answers({ url, status, retry_after: headers['retry-after'] ?? headers['Retry-After'] });
  });
  await Promise.all([
    session.send('Network.enable'),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Fetch.enable', { handleAuthRequests: true }),
  ]);
  return seen;
}

interface Sight {
  seen: Seen;
  isPage(type: string, frameId: string): boolean;
}

/** Decides about every request before it is sent, and answers the proxy that asks who is there, and no one else. */
function steer(session: CDPSession, { username, password }: Pass, { seen, isPage }: Sight): void {
  const send = (work: Promise<unknown>) => void work.catch(() => {}); // the page may be gone by now
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId } = paused;
    const isAllowed = (!isPage(paused.resourceType, paused.frameId) || seen.goes(paused.request.url)) && !isLeftOut(paused);
    if (isAllowed) send(session.send('Fetch.continueRequest', { requestId, ...withGiven(paused, seen.rules) }));
    else send(session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }));
  });
  session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
    const authChallengeResponse =
      source === 'Proxy' ? { response: 'ProvideCredentials' as const, username, password } : { response: 'CancelAuth' as const };
    send(session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }));
  });
}

const isLeftOut = ({ resourceType, request }: Paused): boolean =>
  LEFT_OUT.has(resourceType) || !/^(https?|data|blob):/i.test(request.url) || isIcon(request.headers);

/** The icon of a site is asked for as something of no kind. */
const isIcon = (headers: Record<string, string>): boolean => (headers.Accept ?? headers.accept ?? '').startsWith('image/');

/** Headers are replaced as a whole, and for this hop alone: a redirect is paused anew. */
function withGiven({ request }: Paused, rules: Rules | undefined): { headers?: { name: string; value: string }[] } {
  if (!rules || Object.keys(rules.given.headers).length === 0 || new URL(request.url).origin !== rules.given.origin) return {};
  const own = Object.entries(request.headers).filter(([name]) => !Object.hasOwn(rules.given.headers, name.toLowerCase()));
  return { headers: [...own, ...Object.entries(rules.given.headers)].map(([name, value]) => ({ name, value })) };
}
