import type { CDPSession } from 'playwright';
import { setTimeout as pause } from 'node:timers/promises';
import type { Network } from '../../schema/config-sources.ts';
import type { Traffic } from './traffic.ts';

/** Name of the isolated world in which the scripts below run: it sees the elements of the page, but no change of the page's scripts to JavaScript itself. */
const WORLD = 'kb';

/** Size of the page: the length of its text, scripts and styles included, and the number of its elements. */
const SIZE = `(document.documentElement?.textContent?.length ?? 0) + 31 * document.getElementsByTagName('*').length`;

/** Length of the readable text, without scripts and styles. */
const TEXT = `(() => {
  let length = 0;
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let node; length < 1000 && (node = walker.nextNode()); )
    if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.parentNode.nodeName)) length += node.data.trim().length;
  return length;
})()`;

/** The present HTML, in which open shadow roots replace what they hide. If it is longer than `limit`, only its length is returned. */
const html = (limit: number): string => `(() => {
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
  const text = '<!doctype html>' + (roots.length > 0 ? flattened() : document.documentElement?.outerHTML ?? '');
  return text.length > ${limit} ? { length: text.length } : { length: text.length, text };
})()`;

/** Reads a page from an isolated world inside it. A navigation may make any call fail. */
export interface Snapshot {
  size(): Promise<number>;
  text(): Promise<number>;
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
  return { size: () => run(SIZE), text: () => run(TEXT), html: (limit) => run(html(limit)) };
}

/** Milliseconds between two checks, from the first on. */
const LOOKS = [20, 40, 80, 100];
/**
 * Milliseconds without a change after which a page counts as finished: if its scripts requested or wrote something, if not, and if there is
 * almost no text.
 */
const QUIET = { busy: 300, plain: 60, empty: 1500 };
/** Characters below which a page holds almost no text. */
const ALMOST_NONE = 200;
/** Maximum milliseconds for a page that goes on changing. */
const LONGEST = 5000;
/** Milliseconds after which a request is slow. Its page is waited for as long as nothing else happens there. */
const SLOW = 1000;
/** Milliseconds for a page to show the response of a slow request, or to request more. */
const AFTER = 1500;
/** Maximum milliseconds to wait; half of `network.timeout` if that is less. */
const PATIENCE = 15_000;

interface Settling {
  snapshot: Snapshot;
  traffic: Traffic;
  network: Pick<Network, 'timeout'>;
}

/** Waits until a page has finished: nothing is pending and nothing has changed for a while, or the maximum time is over. */
export async function waitUntilSettled({ snapshot, traffic, network }: Settling, signal: AbortSignal): Promise<void> {
  const began = Date.now();
  const latest = began + Math.min(PATIENCE, network.timeout * 500);
  let until = Math.min(began + LONGEST, latest);
  let changed = began;
  let moved = began;
  let size = -1;
  let isGrowing = false;
  for (let look = 0; Date.now() < until; look++) {
    const now = await snapshot.size().catch(() => -1); // a navigation has begun
    if (now !== size) moved = Date.now();
    if (now !== size || traffic.pending > 0) {
      if (size !== -1) isGrowing = true;
      size = now;
      changed = Date.now();
    }
    const rest = Date.now() - changed;
    const enough = traffic.isBusy || isGrowing ? QUIET.busy : QUIET.plain;
    if (rest >= enough && (rest >= QUIET.empty || (await snapshot.text().catch(() => 0)) >= ALMOST_NONE)) return;
    if (traffic.longestWait >= SLOW && Date.now() - moved >= SLOW) until = Math.min(Math.max(until, Date.now() + AFTER), latest);
    await pause(LOOKS[look] ?? LOOKS.at(-1), undefined, { signal });
  }
}
