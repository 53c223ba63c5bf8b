import type { CDPSession } from 'playwright';
import { setTimeout as pause } from 'node:timers/promises';
import type { Network } from '../../schema/config-sources.ts';
import type { Traffic } from './traffic.ts';

/** Name of the isolated world in which the scripts below run: it shares the page's elements, but not changes that the page makes to JavaScript objects. */
const WORLD = 'kb';

/** Size of the page and its frames: the length of the text, scripts and styles included, and the number of elements. */
const SIZE = `[document, ...[...document.querySelectorAll('iframe')].flatMap(({ contentDocument }) => contentDocument ?? [])]
  .reduce((sum, { documentElement: root }) => sum + (root?.textContent?.length ?? 0) + 31 * (root?.getElementsByTagName('*').length ?? 0), 0)`;

/** Scrolls to the end of the page. Returns whether it is longer than the window. */
const SCROLL = `(() => {
  const { scrollHeight, clientHeight } = document.scrollingElement ?? document.documentElement;
  window.scrollTo(0, scrollHeight);
  return scrollHeight > clientHeight;
})()`;

/** Length of the readable text, without scripts and styles. */
const TEXT = `(() => {
  let length = 0;
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let node; length < 1000 && (node = walker.nextNode()); )
    if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.parentNode.nodeName)) length += node.data.trim().length;
  return length;
})()`;

/** Makes a script that returns the current HTML, with open shadow roots written out. If it is longer than `limit`, only its length is returned. */
const htmlScript = (limit: number): string => `(() => {
  const roots = [];
  const gather = (from) => {
    for (const { shadowRoot } of from.querySelectorAll('*'))
      if (shadowRoot instanceof ShadowRoot) { roots.push(shadowRoot); gather(shadowRoot); }
  };
  gather(document);
  const flattened = () => {
    const copy = new DOMParser().parseFromString('<html>' + document.documentElement.getHTML({ shadowRoots: roots }) + '</html>', 'text/html');
    const flatten = (from) => {
      for (const template of from.querySelectorAll('template[shadowrootmode]')) {
        const host = template.parentElement;
        if (!host) continue;
        flatten(template.content);
        const light = [...host.childNodes].filter((node) => node !== template);
        for (const slot of template.content.querySelectorAll('slot')) {
          const mine = light.filter((node) => (node.getAttribute?.('slot') ?? '') === slot.name);
          if (mine.length > 0) slot.replaceWith(...mine);
          else slot.replaceWith(...slot.childNodes);
        }
        host.replaceChildren(template.content);
      }
    };
    flatten(copy);
    return copy.documentElement.outerHTML;
  };
  const framed = (html) => {
    const frames = [...document.querySelectorAll('iframe')];
    if (!frames.some(({ contentDocument }) => contentDocument?.body?.textContent.trim())) return html;
    const copy = new DOMParser().parseFromString(html, 'text/html');
    const places = [...copy.querySelectorAll('iframe')];
    if (places.length !== frames.length) return html; // some are in shadow roots
    frames.forEach(({ contentDocument: inner }, i) => {
      if (!inner?.body) return;
      const section = copy.createElement('section');
      section.innerHTML = inner.body.innerHTML;
      const links = [...inner.body.querySelectorAll('a[href]')];
      [...section.querySelectorAll('a[href]')].forEach((link, at) => link.setAttribute('href', links[at]?.href ?? ''));
      places[i].replaceWith(section);
    });
    return copy.documentElement.outerHTML;
  };
  const text = '<!doctype html>' + framed(roots.length > 0 ? flattened() : document.documentElement?.outerHTML ?? '');
  return text.length > ${limit} ? { length: text.length } : { length: text.length, text };
})()`;

/** Reads a page from an isolated world in it. A navigation may make any call fail. */
export interface Snapshot {
  size(): Promise<number>;
  text(): Promise<number>;
  /** Scrolls to the end of the page. Returns whether it is longer than the window. */
  scroll(): Promise<boolean>;
  html(limit: number): Promise<{ length: number; text?: string }>;
}

/** Creates the reader of the topmost frame of a tab, whose id stays the same from page to page. */
export function createSnapshot(session: CDPSession, frameId: string): Snapshot {
  const run = async <Result>(expression: string): Promise<Result> => {
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Result;
  };
  return { size: () => run(SIZE), text: () => run(TEXT), scroll: () => run(SCROLL), html: (limit) => run(htmlScript(limit)) };
}

/** Milliseconds between two checks, from the first on. */
const CHECK_INTERVALS = [20, 40, 80, 100];
/**
 * Milliseconds without a change after which a page counts as settled: if its scripts requested or wrote something (`busy`), if not (`plain`), and if there is
 * almost no text (`empty`).
 */
const SETTLED_AFTER = { busy: 300, plain: 60, empty: 1500 };
/** Characters below which a page holds almost no text. */
const LITTLE_TEXT = 200;
/** Maximum milliseconds to wait for a page that keeps changing. */
const MAX_CHANGING = 5000;
/** Milliseconds after which a request is slow. kb waits longer for it while nothing else changes on the page. */
const SLOW_REQUEST = 1000;
/** Milliseconds to wait for a page to show the response of a slow request, or to request more. */
const AFTER_SLOW_REQUEST = 1500;
/** Maximum milliseconds to wait; half of `network.timeout` if that is less. */
const MAX_WAIT = 15_000;

interface Settling {
  snapshot: Snapshot;
  traffic: Traffic;
  network: Pick<Network, 'timeout'>;
}

/** Waits until a page has settled: nothing is pending and nothing has changed for a while, or the maximum time is over. */
export async function waitUntilSettled({ snapshot, traffic, network }: Settling, signal: AbortSignal): Promise<void> {
  const began = Date.now();
  const deadline = began + Math.min(MAX_WAIT, network.timeout * 500);
  let until = Math.min(began + MAX_CHANGING, deadline);
  let lastChanged = began;
  let lastMoved = began;
  let size = -1;
  let isGrowing = false;
  for (let checks = 0; Date.now() < until; checks++) {
    const now = await snapshot.size().catch(() => -1); // a navigation has begun
    if (now !== size) lastMoved = Date.now();
    if (now !== size || traffic.pending > 0) {
      if (size !== -1) isGrowing = true;
      size = now;
      lastChanged = Date.now();
    }
    const quiet = Date.now() - lastChanged;
    const enoughQuiet = traffic.isBusy || isGrowing ? SETTLED_AFTER.busy : SETTLED_AFTER.plain;
    if (quiet >= enoughQuiet && (quiet >= SETTLED_AFTER.empty || (await snapshot.text().catch(() => 0)) >= LITTLE_TEXT)) return;
    if (traffic.longestWait >= SLOW_REQUEST && Date.now() - lastMoved >= SLOW_REQUEST)
      until = Math.min(Math.max(until, Date.now() + AFTER_SLOW_REQUEST), deadline);
    await pause(CHECK_INTERVALS[checks] ?? CHECK_INTERVALS.at(-1), undefined, { signal });
  }
}

/** Maximum number of scrolls, and milliseconds of scrolling. */
const MAX_SCROLLS = 50;
const MAX_SCROLLING = 15_000;
/** Milliseconds until scripts have noticed that a page was scrolled. */
const AFTER_SCROLL = 150;

/** Scrolls a page to its end, again as long as it grows. Returns whether it still grew at the limit. */
export async function scrollToEnd({ snapshot, traffic, network }: Settling, signal: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + Math.min(MAX_SCROLLING, network.timeout * 250);
  let size = await snapshot.size().catch(() => -1);
  for (let scrolls = 0; scrolls < MAX_SCROLLS && Date.now() < deadline; scrolls++) {
    if (!(await snapshot.scroll().catch(() => false))) return false;
    await pause(AFTER_SCROLL, undefined, { signal });
    await waitUntilSettled({ snapshot, traffic, network }, signal);
    const now = await snapshot.size().catch(() => -1);
    if (now <= size) return false;
    size = now;
  }
  return true;
}
