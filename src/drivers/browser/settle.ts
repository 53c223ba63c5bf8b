import type { CDPSession } from 'playwright';
import { setTimeout as pause } from 'node:timers/promises';
import type { Network } from '../../schema/config-sources.ts';
import type { Traffic } from './traffic.ts';

/** What runs inside the page, as text: it is not part of this program. It sees the page's elements, and none of what the page's scripts did to the language. */
const WORLD = 'kb';

/** How much there is to see: the length of the text, scripts and styles included, and the number of elements. */
const SIZE = `(document.documentElement?.textContent?.length ?? 0) + 31 * document.getElementsByTagName('*').length`;

/** How much a reader could read so far: the length of the text without white space at its ends, scripts and styles left out. */
const TEXT = `(() => {
  let length = 0;
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT);
  for (let node; length < 1000 && (node = walker.nextNode()); )
    if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.parentNode.nodeName)) length += node.data.trim().length;
  return length;
})()`;

/** The HTML as it stands, with open shadow roots in the place of what they hide, from a copy in which no script runs. A text longer than `limit` stays in the page. */
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

/** Reads a page from a world of its own inside it. A navigation may make any of them fail. */
export interface Snapshot {
  size(): Promise<number>;
  text(): Promise<number>;
  html(limit: number): Promise<{ length: number; text?: string }>;
}

/** Reads what a tab shows in its topmost frame, whose id stays the same from page to page. */
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

/** Milliseconds between two looks, from the first on. */
const LOOKS = [20, 40, 80, 100];
/**
 * Milliseconds without a change after which a page counts as finished: if its scripts requested or wrote something, if not, and if there is
 * almost no text.
 */
const QUIET = { busy: 300, plain: 60, empty: 1500 };
/** Characters below which a page holds almost no text. */
const ALMOST_NONE = 200;
/** Milliseconds that a page may go on changing. */
const LONGEST = 5000;
/** Milliseconds after which a request is a slow one, whose page is waited for as long as nothing else happens on it. */
const SLOW = 1000;
/** Milliseconds that a page gets to show, or to ask for more, once what it waited for is there. */
const AFTER = 1500;
/** Maximum milliseconds to wait; half of `network.timeout` if that is less. */
const PATIENCE = 15_000;

interface Settling {
  snapshot: Snapshot;
  traffic: Traffic;
  network: Pick<Network, 'timeout'>;
}

/** Waits until a page shows what it is going to show: nothing is under way any more and nothing has changed for a while, or it never rests. */
export async function waitUntilSettled({ snapshot, traffic, network }: Settling, signal: AbortSignal): Promise<void> {
  const began = Date.now();
  const latest = began + Math.min(PATIENCE, network.timeout * 500);
  let until = Math.min(began + LONGEST, latest);
  let changed = began;
  let moved = began;
  let size = -1;
  let isGrowing = false;
  for (let look = 0; Date.now() < until; look++) {
    const now = await snapshot.size().catch(() => -1); // a navigation took the page away
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
