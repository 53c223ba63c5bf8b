import type { DomDocument, DomElement } from '../dom.ts';
import { removeUnseen } from './clean.ts';
import { isTopic } from './names.ts';
import { removeFrames } from './frames.ts';
import { generatedContent, type Source } from './generators.ts';
import { headlineOf, wordsOf } from './headline.ts';
import { writeIcons } from './icons.ts';
import { removeLeftovers } from './leftovers.ts';
import { leadOf, withLead } from './lead.ts';
import { LEVEL } from './markdown.ts';
import { lettersAtAll, measuresOf } from './measure.ts';
import { removeNavigation } from './navigation.ts';
import type { Page } from './panels.ts';
import { lettersOf, proseOf } from './prose.ts';
import { replaceStandIns } from './stand-ins.ts';
import { isManual, isStory } from './story.ts';
import { rewriteWidgets } from './widgets.ts';

/** Readability asks every element for its text, several times. Of a page where that is more than so many letters it would take many seconds to choose. */
const LABORIOUS = 20_000_000;

/** Readability takes elements for what their ids say; where an id is that of a section, it says what the section is about. */
const TOPICS = 'h1[id], h2[id], h3[id], h4[id], h5[id], h6[id], dt[id], section[id], div[id]';
const ANCHOR = 'data-kb-id';
const MAIN = 'main, [role=main]';
/** Readability's choice counts when it keeps this share of a page's prose: of a short page it may keep one paragraph. */
const MOST = 0.35;
/** A choice of this much prose may be less of it: the rest of a news page is teasers and comments. */
const LONG = 1500;
/** Of a page's only article or main element a shorter choice has to keep this share of what is no link: tables, lists and what folds out are no prose, and go unnoticed else. */
const MOST_OF_MAIN = 0.75;

interface Main {
  content: DomElement;
  /** What the page's first heading says, or nothing. */
  headline: string;
  /** The share of the page's letters that is left out and no navigation, where it is more than a tenth. */
  left_out?: number | undefined;
}

/** A smaller share that is left out is not worth a word. */
const LEFT_OUT = 0.1;

/**
 * What the page is about: the place where its generator puts that; of a story what Readability (the reader view of Firefox) chooses, where that is enough of
 * the page's text; else its only article, its main element or its body, without the navigation around it. The page is taken apart.
 */
export async function mainContent(page: Page, source: Source & { title: string }): Promise<Main> {
  const isOfStory = isStory(page.document);
  replaceStandIns(page, source.html);
  rewriteWidgets(page, source.html);
  writeIcons(page.body, source.html);
  const generated = generatedContent(page.body, source);
  removeUnseen(page.body, generated);
  const heading = headlineOf(page.body, { content: generated, title: source.title });
  const headline = wordsOf(heading);
  if (generated && lettersOf(generated) > 0) return { content: removeLeftovers(generated, 'generated'), headline };
  if (!isOfStory) return { content: wholeOf(page.body, heading), headline };
  return { ...(await storyOf(page, heading)), headline };
}

/** All of the page's content. */
function wholeOf(body: DomElement, headline: DomElement | undefined): DomElement {
  const content = candidate(body);
  if (content.nodeName === 'BODY') removeFrames(content, headline);
  removeNavigation(content, headline);
  return removeLeftovers(content, 'whole');
}

/** The text that Readability finds in a story, where it is enough of it. */
async function storyOf({ document, body }: Page, heading: DomElement | undefined): Promise<Omit<Main, 'headline'>> {
  if (isManual(candidate(body)) || lettersAtAll(body) > LABORIOUS) return { content: wholeOf(body, heading) };
  const lead = leadOf(document, heading)?.cloneNode(true) as DomElement | undefined;
  const rest = candidate(body.cloneNode(true) as DomElement); // Readability takes the page apart
  const chosen = await readable(document);
  if (chosen && isEnough(chosen, rest)) return partOf(withLead(removeLeftovers(chosen, 'story'), lead), rest);
  if (chosen && lettersOf(chosen) > lettersOf(rest)) return { content: removeLeftovers(chosen, 'story') };
  if (rest.nodeName === 'BODY') removeFrames(rest, undefined);
  return { content: removeLeftovers(rest, 'story') };
}

/** A story, and how much of the page's content it is not. */
function partOf(content: DomElement, rest: DomElement): Omit<Main, 'headline'> {
  const left_out = 1 - lettersOf(content) / Math.max(1, lettersOf(wholeOf(rest, undefined)));
  return left_out > LEFT_OUT ? { content, left_out: Math.round(left_out * 100) / 100 } : { content };
}

function isEnough(chosen: DomElement, rest: DomElement): boolean {
  const [kept, whole] = [proseOf(chosen), proseOf(rest)];
  if (lettersOf(chosen) >= LONG) return kept > 0;
  const isMost = rest.nodeName === 'BODY' || (unlinkedIn(chosen) >= unlinkedIn(rest) * MOST_OF_MAIN && partsIn(chosen) >= partsIn(rest));
  return kept > 0 && kept >= whole * MOST && isMost;
}

/** How many parts of an element hold what is laid out and no prose. */
const partsIn = (element: DomElement): number => [...element.querySelectorAll('table, dl, details, pre')].length;

/** The letters of an element that stand in no link. */
function unlinkedIn(element: DomElement): number {
  const { letters, linked } = measuresOf(element)(element);
  return letters - linked;
}

/** The only article or main element that holds most of the prose, or else the body. */
function candidate(body: DomElement): DomElement {
  const whole = proseOf(body);
  const only = (selector: string): DomElement | undefined => {
    const found = [...body.querySelectorAll(selector)].filter((element) => !element.parentElement?.closest(selector));
    return found.length === 1 ? found[0] : undefined;
  };
  return [only('article'), only(MAIN)].find((element) => element && lettersOf(element) > 0 && proseOf(element) >= whole / 2) ?? body;
}

async function readable(document: DomDocument): Promise<DomElement | undefined> {
  const { Readability } = await import('@mozilla/readability');
  for (const title of document.querySelectorAll('h1')) title.setAttribute(LEVEL, '1');
  for (const topic of document.querySelectorAll(TOPICS)) if (isTopic(topic)) renameAttribute(topic, 'id', ANCHOR);
  const article = new Readability<DomElement>(document as never, {
    keepClasses: true,
    serializer: (node) => node as unknown as DomElement,
  }).parse();
  const content = article?.content ?? undefined;
  for (const topic of content?.querySelectorAll(`[${ANCHOR}]`) ?? []) renameAttribute(topic, ANCHOR, 'id');
  return content;
}

function renameAttribute(element: DomElement, from: string, to: string): void {
  element.setAttribute(to, element.getAttribute(from)!);
  element.removeAttribute(from);
}
