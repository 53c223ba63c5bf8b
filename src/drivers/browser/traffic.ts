import type { CDPSession } from 'playwright';

/** What one tab may connect to. */
export interface Pass {
  username: string;
  password: string;
  /** Why the last request to this host and port failed: Refused, or the error of its connection. */
  trouble(url: URL): Error | undefined;
  /** Starts counting anew: `onExceeded` is called when more than `max_bytes` have come in, after which nothing more does. */
  begin(max_bytes: number, onExceeded: () => void): void;
}

/** Marks what the proxy says itself in the place of an answer. A site that says it too gains nothing: the pass knows of no trouble then. */
export const NO_RESPONSE = 'kb-no-answer';

/** Headers that are sent to one origin only. */
export interface GivenRequest {
  origin: string;
  /** With a request of this method. */
  headers(method: string): Readonly<Record<string, string>>;
}

interface Rules {
  given: GivenRequest;
  /** How often the page itself may lead elsewhere, by redirects and by scripts. */
  max_redirects: number;
  /** Unpacked, everything that the page loads. */
  max_bytes: number;
  onTooManyRedirects(): void;
  onTooManyBytes(): void;
}

interface MainAnswer {
  url: string;
  status: number;
  retry_after: string | undefined;
  robots_tags: string[];
  /** The proxy says it: there is no answer. */
  isProxys: boolean;
}

/** The requests of a tab and their outcomes. */
export interface Traffic {
  begin(rules: Rules): void;
  /** How many scripts and requests of scripts are under way. */
  pending(): number;
  /** Milliseconds since the oldest pending request began; 0 if there is none. */
  longest(): number;
  /** Whether scripts have asked for anything since `begin`. */
  isBusy(): boolean;
  /** Address of the last request for the page. */
  at(): string | undefined;
  /** Whether the tab has never shown a page of another origin, whose scripts could still be at work. */
  isOf(origin: string): boolean;
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
  request: { url: string; method: string; headers: Record<string, string> };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

class Seen implements Traffic {
  rules: Rules | undefined;
  readonly #origins = new Set<string>();
  /** When each of them began, the first one first. */
  readonly #pending = new Map<string, number>();
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

  /** Notes that the page is requested at this address. Returns false after too many redirects. */
  goes(url: string): boolean {
    this.#at = url;
    if (!this.rules || ++this.#hops <= this.rules.max_redirects + 1) return true;
    this.rules.onTooManyRedirects();
    return false;
  }

  starts(requestId: string, type: string): void {
    this.#pending.set(requestId, Date.now());
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

  /** The tab shows a document of this address from now on. */
  shows(url: string): void {
    if (url !== 'about:blank') this.#origins.add(originOf(url));
  }

  isOf(origin: string): boolean {
    return [...this.#origins].every((shown) => shown === origin);
  }

  longest(): number {
    const [began] = this.#pending.values();
    return began === undefined ? 0 : Date.now() - began;
  }

  pending = () => this.#pending.size;
  isBusy = () => this.#asked > 0;
  at = () => this.#at;
  main = () => this.#main;
}

/** Watches and steers the requests of a tab, and lets it through the proxy; `top` is the id of its topmost frame. */
export async function watchTraffic(session: CDPSession, pass: Pass, top: string): Promise<Traffic> {
  const seen = new Seen();
  const isTop = (frameId: string | undefined) => frameId === top;
  const isPage = (type: string | undefined, frameId: string | undefined) => type === 'Document' && isTop(frameId);
  steer(session, pass, { seen, isTop, isPage });
  session.on('Page.frameNavigated', ({ frame: { id, url } }) => void (isTop(id) && seen.shows(url)));
  session.on('Network.requestWillBeSent', ({ requestId, loaderId, type = '' }) => {
    if (AWAITED.has(type) && loaderId !== '') seen.starts(requestId, type); // of the script of a worker no end is told
  });
  session.on('Network.loadingFinished', (request) => seen.ends(request));
  session.on('Network.loadingFailed', (request) => seen.ends(request));
  session.on('Network.dataReceived', ({ dataLength }) => seen.receives(dataLength));
  session.on('Network.responseReceived', ({ type, frameId, response: { url, status, headers } }) => {
    if (!isPage(type, frameId)) return;
    const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const tag = named.get('x-robots-tag');
    const robots_tags = tag === undefined ? [] : [tag];
    seen.answers({ url, status, retry_after: named.get('retry-after'), robots_tags, isProxys: named.has(NO_RESPONSE) });
  });
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable'),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Fetch.enable', { handleAuthRequests: true }),
  ]);
  return seen;
}

interface Sight {
  seen: Seen;
  isTop(frameId: string): boolean;
  isPage(type: string, frameId: string): boolean;
}

/** Decides about every request before it is sent, and answers the proxy that asks who is there, and no one else. */
function steer(session: CDPSession, { username, password }: Pass, { seen, isTop, isPage }: Sight): void {
  const send = (work: Promise<unknown>) => void work.catch(() => {}); // the page may be gone by now
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, resourceType, frameId, request } = paused;
    const isDocument = isPage(resourceType, frameId);
    const isAllowed = (!isDocument || seen.goes(request.url)) && !isLeftOut(paused);
    const given = seen.rules?.given;
    const isGiven =
      given?.origin === originOf(request.url) && mayHave(request, { isDocument, isOwn: isTop(frameId) && seen.isOf(given.origin) });
    if (isAllowed) send(session.send('Fetch.continueRequest', { requestId, ...(isGiven ? withGiven(paused, given) : {}) }));
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

/** What was given for a site is for the page itself and for what its own scripts ask for: another page would read with it, or change something. */
const mayHave = ({ method }: Paused['request'], { isDocument, isOwn }: { isDocument: boolean; isOwn: boolean }): boolean =>
  isOwn || (isDocument && /^(GET|HEAD)$/i.test(method));

/** Headers are replaced as a whole, and for this hop alone: a redirect is paused anew. */
function withGiven({ request }: Paused, given: GivenRequest): { headers?: { name: string; value: string }[] } {
  const headers = given.headers(request.method);
  if (Object.keys(headers).length === 0) return {};
  const own = Object.entries(request.headers).filter(([name]) => !Object.hasOwn(headers, name.toLowerCase()));
  return { headers: [...own, ...Object.entries(headers)].map(([name, value]) => ({ name, value })) };
}
