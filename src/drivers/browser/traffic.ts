import type { CDPSession } from 'playwright';

/** Credentials of one tab for the proxy, with a limit for what the tab may receive. */
export interface TabCredentials {
  username: string;
  password: string;
  /** Returns why the last request to this host and port failed: an AddressRefusedError, or the error of its connection. */
  findFailure(url: URL): Error | undefined;
  /** Resets the count: when more than `max_bytes` are received, `onExceeded` is called and the connections are closed. */
  begin(max_bytes: number, onExceeded: () => void): void;
}

/** Header that marks a response of the proxy itself. A site that sends it gains nothing, because the tab's credentials then know of no failure. */
export const PROXY_RESPONSE = 'kb-no-answer';

/** Headers for requests to one origin only. */
export interface OriginHeaders {
  origin: string;
  /** Returns the headers for a request with this method. */
  headers(method: string): Readonly<Record<string, string>>;
}

interface PageLimits {
  originHeaders: OriginHeaders;
  /** Maximum navigations of the page itself, by redirects and by scripts. */
  max_redirects: number;
  /** Maximum bytes of everything that the page loads, decompressed. */
  max_bytes: number;
  onTooManyRedirects(): void;
  onTooManyBytes(): void;
}

interface PageResponse {
  url: string;
  status: number;
  retry_after: string | undefined;
  robots_tags: string[];
  /** Whether the proxy sent it, because the site sent no response. */
  isFromProxy: boolean;
}

/** Types of resources that are not loaded, since none of them becomes text. */
const BLOCKED = new Set(['Image', 'Media', 'Font', 'TextTrack', 'Ping', 'Prefetch', 'Manifest', 'CSPViolationReport']);
/** Types of resources to wait for besides frames, since they may write the text of a page. */
const AWAITED = new Set(['Script', 'XHR', 'Fetch']);

interface PausedRequest {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string; method: string; headers: Record<string, string> };
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/** The requests of a tab and their outcomes. */
export class Traffic {
  limits: PageLimits | undefined;
  readonly #origins = new Set<string>();
  /** Start times of pending scripts and requests of scripts, the oldest first. */
  readonly #pending = new Map<string, number>();
  #scriptRequests = 0;
  #navigations = 0;
  #bytes = 0;
  #address: string | undefined;
  #response: PageResponse | undefined;

  begin(limits: PageLimits): void {
    this.limits = limits;
    this.#pending.clear();
    this.#scriptRequests = this.#navigations = this.#bytes = 0;
    this.#address = this.#response = undefined;
  }

  /** Notes that the page is requested at this address. Returns false after too many redirects. */
  requestPage(url: string): boolean {
    this.#address = url;
    if (!this.limits || ++this.#navigations <= this.limits.max_redirects + 1) return true;
    this.limits.onTooManyRedirects();
    return false;
  }

  start(requestId: string, type: string): void {
    this.#pending.set(requestId, Date.now());
    if (type !== 'Script') this.#scriptRequests++;
  }

  end(requestId: string): void {
    this.#pending.delete(requestId);
  }

  receive(bytes: number): void {
    this.#bytes += bytes;
    if (this.limits && this.#bytes > this.limits.max_bytes) this.limits.onTooManyBytes();
  }

  receivePage(response: PageResponse): void {
    this.#response = response;
    this.#pending.clear(); // those of the previous page
  }

  /** Notes the address of a document that the tab shows. */
  noteShown(url: string): void {
    if (url !== 'about:blank') this.#origins.add(originOf(url));
  }

  /** Whether the tab has never shown a page of another origin, whose scripts could still run. */
  hasShownOnly(origin: string): boolean {
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
    return this.#scriptRequests > 0;
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
export async function watchTraffic(session: CDPSession, credentials: TabCredentials, topFrame: string): Promise<Traffic> {
  const traffic = new Traffic();
  const isTop = (frameId: string | undefined) => frameId === topFrame;
  const isPage = (type: string | undefined, frameId: string | undefined) => type === 'Document' && isTop(frameId);
  interceptRequests(session, credentials, { traffic, isTop, isPage });
  session.on('Page.frameNavigated', ({ frame: { id, url } }) => void (isTop(id) && traffic.noteShown(url)));
  session.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId, type = '' }) => {
    const isFrame = type === 'Document' && !isTop(frameId);
    if ((AWAITED.has(type) || isFrame) && loaderId !== '') traffic.start(requestId, type); // the end of a worker's script is not reported
  });
  session.on('Network.loadingFinished', ({ requestId }) => traffic.end(requestId));
  session.on('Network.loadingFailed', ({ requestId }) => traffic.end(requestId));
  session.on('Network.dataReceived', ({ dataLength }) => traffic.receive(dataLength));
  session.on('Network.responseReceived', ({ type, frameId, response: { url, status, headers } }) => {
    if (!isPage(type, frameId)) return;
    const named = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const tag = named.get('x-robots-tag');
    const robots_tags = tag === undefined ? [] : [tag];
    traffic.receivePage({ url, status, retry_after: named.get('retry-after'), robots_tags, isFromProxy: named.has(PROXY_RESPONSE) });
  });
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable'),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Fetch.enable', { handleAuthRequests: true }),
  ]);
  return traffic;
}

interface TrafficContext {
  traffic: Traffic;
  isTop(frameId: string): boolean;
  isPage(type: string, frameId: string): boolean;
}

/** Decides about each request before it is sent, and gives credentials to the proxy only. */
function interceptRequests(session: CDPSession, { username, password }: TabCredentials, { traffic, isTop, isPage }: TrafficContext): void {
  const send = (work: Promise<unknown>) => void work.catch(() => {}); // the page may be gone by now
  session.on('Fetch.requestPaused', (paused) => {
    const { requestId, resourceType, frameId, request } = paused;
    const isDocument = isPage(resourceType, frameId);
    const isAllowed = (!isDocument || traffic.requestPage(request.url)) && !isBlocked(paused);
    const originHeaders = traffic.limits?.originHeaders;
    const getsHeaders =
      originHeaders?.origin === originOf(request.url) &&
      mayCarryHeaders(request, { isDocument, isOwn: isTop(frameId) && traffic.hasShownOnly(originHeaders.origin) });
    if (isAllowed) send(session.send('Fetch.continueRequest', { requestId, ...(getsHeaders ? addHeaders(paused, originHeaders) : {}) }));
    else send(session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }));
  });
  session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
    const authChallengeResponse =
      source === 'Proxy' ? { response: 'ProvideCredentials' as const, username, password } : { response: 'CancelAuth' as const };
    send(session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }));
  });
}

const isBlocked = ({ resourceType, request }: PausedRequest): boolean =>
  BLOCKED.has(resourceType) || !/^(https?|data|blob):/i.test(request.url) || isIcon(request.headers);

/** Whether a request is for the icon of the site, which has no resource type. */
const isIcon = (headers: Record<string, string>): boolean => (headers.Accept ?? headers.accept ?? '').startsWith('image/');

/** The headers of a site are for the page itself and its own scripts: another page could read data with them, or change something. */
const mayCarryHeaders = ({ method }: PausedRequest['request'], { isDocument, isOwn }: { isDocument: boolean; isOwn: boolean }): boolean =>
  isOwn || (isDocument && /^(GET|HEAD)$/i.test(method));

/** Adds headers to a request. They replace all of its headers, and apply to this hop only: a redirect is intercepted again. */
function addHeaders({ request }: PausedRequest, originHeaders: OriginHeaders): { headers?: { name: string; value: string }[] } {
  const headers = originHeaders.headers(request.method);
  if (Object.keys(headers).length === 0) return {};
  const own = Object.entries(request.headers).filter(([name]) => !Object.hasOwn(headers, name.toLowerCase()));
  return { headers: [...own, ...Object.entries(headers)].map(([name, value]) => ({ name, value })) };
}
