import type { CDPSession } from 'playwright';

/** Credentials of one tab for the proxy, and the limit of what it may receive. */
export interface TabCredentials {
  username: string;
  password: string;
  /** Why the last request to this host and port failed: Refused, or the error of its connection. */
  trouble(url: URL): Error | undefined;
  /** Starts counting anew: `onExceeded` is called when more than `max_bytes` have come in, after which nothing more does. */
  begin(max_bytes: number, onExceeded: () => void): void;
}

/** Header that marks a response of the proxy itself. A site that sends it, too, gains nothing: the pass knows of no trouble then. */
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

interface PageResponse {
  url: string;
  status: number;
  retry_after: string | undefined;
  robots_tags: string[];
  /** Whether the proxy sent it, because there is no response. */
  isFromProxy: boolean;
}

/** Types of resources that are not loaded: none of them becomes text. */
const BLOCKED = new Set(['Image', 'Media', 'Font', 'TextTrack', 'Ping', 'Prefetch', 'Manifest', 'CSPViolationReport']);
/** Types of resources that are waited for: they may write the text of a page. */
const AWAITED = new Set(['Script', 'XHR', 'Fetch']);

interface Paused {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string; method: string; headers: Record<string, string> };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** The requests of a tab and their outcomes. */
export class Traffic {
  rules: Rules | undefined;
  readonly #origins = new Set<string>();
  /** Start times of pending scripts and requests of scripts, the oldest first. */
  readonly #pending = new Map<string, number>();
  #asked = 0;
  #hops = 0;
  #bytes = 0;
  #address: string | undefined;
  #response: PageResponse | undefined;

  begin(rules: Rules): void {
    this.rules = rules;
    this.#pending.clear();
    this.#asked = this.#hops = this.#bytes = 0;
    this.#address = this.#response = undefined;
  }

  /** Notes that the page is requested at this address. Returns false after too many redirects. */
  requestPage(url: string): boolean {
    this.#address = url;
    if (!this.rules || ++this.#hops <= this.rules.max_redirects + 1) return true;
    this.rules.onTooManyRedirects();
    return false;
  }

  start(requestId: string, type: string): void {
    this.#pending.set(requestId, Date.now());
    if (type !== 'Script') this.#asked++;
  }

  end(requestId: string): void {
    this.#pending.delete(requestId);
  }

  receive(bytes: number): void {
    this.#bytes += bytes;
    if (this.rules && this.#bytes > this.rules.max_bytes) this.rules.onTooManyBytes();
  }

  receivePage(response: PageResponse): void {
    this.#response = response;
    this.#pending.clear(); // of the page before
  }

  /** Notes the address of a document that the tab shows. */
  show(url: string): void {
    if (url !== 'about:blank') this.#origins.add(originOf(url));
  }

  /** Whether the tab has never shown a page of another origin, whose scripts could still be at work. */
  isOf(origin: string): boolean {
    return [...this.#origins].every((shown) => shown === origin);
  }

  /** Number of pending scripts and requests of scripts. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Milliseconds since the oldest pending request began; 0 if there is none. */
  get longestWait(): number {
    const [began] = this.#pending.values();
    return began === undefined ? 0 : Date.now() - began;
  }

  /** Whether scripts have requested anything since `begin`. */
  get isBusy(): boolean {
    return this.#asked > 0;
  }

  /** Address of the last request for the page. */
  get address(): string | undefined {
    return this.#address;
  }

  get response(): PageResponse | undefined {
    return this.#response;
  }
}

/** Watches and steers the requests of a tab, and lets it through the proxy; `top` is the id of its topmost frame. */
export async function watchTraffic(session: CDPSession, pass: TabCredentials, top: string): Promise<Traffic> {
  const traffic = new Traffic();
  const isTop = (frameId: string | undefined) => frameId === top;
  const isPage = (type: string | undefined, frameId: string | undefined) => type === 'Document' && isTop(frameId);
  steer(session, pass, { traffic, isTop, isPage });
  session.on('Page.frameNavigated', ({ frame: { id, url } }) => void (isTop(id) && traffic.show(url)));
  session.on('Network.requestWillBeSent', ({ requestId, loaderId, type = '' }) => {
    if (AWAITED.has(type) && loaderId !== '') traffic.start(requestId, type); // no end is reported for the script of a worker
  });
  session.on('Network.loadingFinished', ({ requestId }) => traffic.end(requestId));
  session.on('Network.loadingFailed', ({ requestId }) => traffic.end(requestId));
  session.on('Network.dataReceived', ({ dataLength }) => traffic.receive(dataLength));
  session.on('Network.responseReceived', ({ type, frameId, response: { url, status, headers } }) => {
    if (!isPage(type, frameId)) return;
    const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const tag = named.get('x-robots-tag');
    const robots_tags = tag === undefined ? [] : [tag];
    traffic.receivePage({ url, status, retry_after: named.get('retry-after'), robots_tags, isFromProxy: named.has(NO_RESPONSE) });
  });
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable'),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Fetch.enable', { handleAuthRequests: true }),
  ]);
  return traffic;
}

interface Watched {
  traffic: Traffic;
  isTop(frameId: string): boolean;
  isPage(type: string, frameId: string): boolean;
}

/** Decides about every request before it is sent, and gives credentials to the proxy and no one else. */
function steer(session: CDPSession, { username, password }: TabCredentials, { traffic, isTop, isPage }: Watched): void {
  const send = (work: Promise<unknown>) => void work.catch(() => {}); // the page may be gone by now
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, resourceType, frameId, request } = paused;
    const isDocument = isPage(resourceType, frameId);
    const isAllowed = (!isDocument || traffic.requestPage(request.url)) && !isBlocked(paused);
    const given = traffic.rules?.given;
    const isGiven =
      given?.origin === originOf(request.url) && mayHave(request, { isDocument, isOwn: isTop(frameId) && traffic.isOf(given.origin) });
    if (isAllowed) send(session.send('Fetch.continueRequest', { requestId, ...(isGiven ? withGiven(paused, given) : {}) }));
    else send(session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }));
  });
  session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
    const authChallengeResponse =
      source === 'Proxy' ? { response: 'ProvideCredentials' as const, username, password } : { response: 'CancelAuth' as const };
    send(session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }));
  });
}

const isBlocked = ({ resourceType, request }: Paused): boolean =>
  BLOCKED.has(resourceType) || !/^(https?|data|blob):/i.test(request.url) || isIcon(request.headers);

/** The icon of a site is requested without a type. */
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
