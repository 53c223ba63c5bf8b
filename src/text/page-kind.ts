import { blocksOf, plainTitle } from '@citekb/documents/markdown';

/**
 * Kinds of pages and passages that rank lower: those that list answers elsewhere instead of holding any, and pages that say themselves that another version
 * has replaced them.
 */
type PageKind = 'contents' | 'changelog' | 'index' | 'outdated';

/** Minimum entries of a listing. */
const MIN_ENTRIES = 5;
/** Minimum share of the words in links on a page of links. */
const MIN_LINKED_SHARE = 0.5;
/** Maximum share of items with a link among other words: "Largest file: [281 TB](limits.html) (2^48 bytes)" says something itself. */
const MAX_MIXED_SHARE = 0.15;
/** Minimum share of entries among the lines of a table of contents or an index. */
const MIN_ENTRY_SHARE = 0.6;
/** Minimum share of lines with a page number after dots. */
const MIN_LEADER_SHARE = 0.5;
/** Minimum share of a change log's headings that name versions or days. */
const MIN_VERSION_SHARE = 0.5;

/** Titles and headings of change logs, and names of their files. */
const CHANGELOG =
  /^(?:change[\s_-]?logs?|(?:recent |version |full )*changes|(?:version |release |revision |change )?history(?: of .{1,40} releases)?|release[\s_-]?notes?|releases?|what['’]?s new(?: in .{1,40})?|(?:recent )?(?:\w+ )?news|chronology)$/i;
/** Titles of the notes on one version. */
const RELEASE = /^(?:\w+ )?(?:release(?: notes)?(?: for)?|changes in|what['’]?s new in(?: \w+)?) v?\d+(?:\.\d+)*(?:$|\s*[(:,–—-]|\s+on\b)/i;
/** Headings of sections are matched more strictly: `Changes` in a manual may be about anything. */
const CHANGELOG_SECTION = /^(?:change[\s_-]?logs?|release[\s_-]?(?:notes?|history)|version history)$/i;
const PEOPLE = /^(?:(?:list of |our )?(?:contributors|authors|credits|acknowledge?ments|backers|sponsors|maintainers|thanks)(?: list)?)$/i;
const INDEX = /\bindex\b|\bsite ?map\b|\bglossary of links\b/i;
/** `[Unreleased]`, `v1.2.3 (2024-03-05)`, `2024-03-05`, `Version 3.40.1`. */
const VERSION =
  /^(?:\[?unreleased\]?|(?:release |version )?\[?v?\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?\]?\)?(?:\s*[-–—:(].*)?|\[?\d{4}-\d\d-\d\d\]?.*)$/i;
/** The end of an entry of a table of contents: dots and a page, as the parser of PDFs writes them. */
const LEADER = / … ?(?:\d+|[ivxlc]+)$/i;
/** The page number of an entry whose text is on the line before. */
const PAGE_NUMBER = /^(?:\d+|[ivxlc]+)$/i;
/** A term of an index with its pages. */
const INDEX_ENTRY = /^[^|]*[^\d\s.,:;)|][,\s]\s*\d+(?:[–-]\d+)?(?:, ?\d+(?:[–-]\d+)?)*$/;

/** An item, a link or a row. */
const ENTRY = /^(?:[-*+]\s|\d+[.)]\s|!?\[|\*\*\[|\|)/;
const ITEM = /^(?:[-*+]|\d+[.)])\s+/;
const LINK = /!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?:[^()]|\([^()]*\))*\)/g;

/** Characters at the beginning of a page in which it says that it is outdated. */
const MAX_BANNER = 600;
/** What pages of replaced versions say about themselves. */
const OUTDATED =
  /\b(?:old(?:er)?|outdated|previous|earlier|archived|unsupported) version of (?:this|the|our|these) (?:documentation|docs|pages?|manual|guide)|\b(?:documentation|docs|page|manual|guide)\b[^.\n]{0,80}\b(?:is|are) (?:deprecated|outdated|obsolete|no longer (?:supported|maintained|updated))|^\W{0,9}(?:deprecated|outdated|obsolete)\W[^\n]{0,80}\b(?:page|documentation|docs|version|guide|manual)\b/im;

/** Classifies a Markdown page by its title, headings and lines; undefined for a page that may hold answers. */
export function pageKindOf(text: string, title = ''): PageKind | undefined {
  if (OUTDATED.test(text.slice(0, MAX_BANNER))) return 'outdated';
  const named = withoutSectionNumber(plainTitle(title).trim());
  const { first, entries, versions } = countVersions(text);
  const isNamed = [named, first].some((words) => CHANGELOG.test(words) || RELEASE.test(words));
  if (isNamed || (entries >= MIN_ENTRIES && versions >= entries * MIN_VERSION_SHARE)) return 'changelog';
  return listKindOf(text, [named, first]);
}

/** Classifies a passage by the headings above it. */
export function passageKindOf(text: string, headings: readonly string[]): PageKind | undefined {
  const [last = '', ...above] = headings.map(withoutSectionNumber).toReversed();
  if (CHANGELOG_SECTION.test(last) || (VERSION.test(last) && above.some((heading) => CHANGELOG_SECTION.test(heading)))) return 'changelog';
  return listKindOf(text, [last]);
}

/** The first heading of a text without its number, how many headings follow it, and how many of these are versions. */
function countVersions(text: string): { first: string; entries: number; versions: number } {
  let first: string | undefined;
  let [entries, versions] = [0, 0];
  for (const { kind, title } of blocksOf(text)) {
    if (kind !== 'heading') continue;
    const words = withoutSectionNumber(title);
    if (first === undefined) {
      first = words;
      continue;
    }
    entries++;
    if (VERSION.test(words)) versions++;
  }
  return { first: first ?? '', entries, versions };
}

/** Maximum characters of a text that is examined as a list: no listing is as long as a book, and longer runs of letters overflow the stack of a pattern. */
const MAX_LIST_LENGTH = 1_000_000;

/** Recognizes a table of contents, an index or a list of people by its lines and titles. */
function listKindOf(text: string, titles: readonly string[]): PageKind | undefined {
  if (text.length > MAX_LIST_LENGTH) return undefined;
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !/^\|(?:\s*:?-+:?\s*\|)+$/.test(line));
  if (lines.length === 0) return undefined;
  const share = (is: (line: string) => boolean): number => lines.filter(is).length / lines.length;
  const isEntry = (line: string): boolean => LEADER.test(line) || PAGE_NUMBER.test(line);
  if (lines.length >= MIN_ENTRIES && share((line) => LEADER.test(line)) >= MIN_LEADER_SHARE && share(isEntry) >= MIN_ENTRY_SHARE)
    return 'contents';
  if (lines.length >= 2 * MIN_ENTRIES && share((line) => INDEX_ENTRY.test(line) && line.length < 80) >= MIN_ENTRY_SHARE && isSorted(lines))
    return 'index';
  const [all, links] = [wordsIn(text.replace(LINK, '$1')), [...text.matchAll(LINK)].filter(([link]) => !link.startsWith('!'))];
  if (titles.some((title) => PEOPLE.test(title)) && share((line) => !/[.!?]$/.test(line)) >= MIN_ENTRY_SHARE) return 'index';
  const linked = links.reduce((sum, [, words]) => sum + wordsIn(words!), 0);
  if (
    links.length < MIN_ENTRIES ||
    linked < all * MIN_LINKED_SHARE ||
    share((line) => ENTRY.test(line)) < MIN_ENTRY_SHARE ||
    isMixed(lines)
  )
    return undefined;
  return titles.some((title) => INDEX.test(title)) ? 'index' : 'contents';
}

/** Whether many items have words besides their links. */
function isMixed(lines: readonly string[]): boolean {
  const items = lines.filter((line) => ITEM.test(line)).map((line) => line.replace(ITEM, ''));
  const saying = items.filter((item) => item.search(LINK) >= 0 && wordsIn(item.replace(LINK, '')) > 1);
  return saying.length >= items.length * MAX_MIXED_SHARE && saying.length > 1;
}

/** Whether most lines are in alphabetical order. */
function isSorted(lines: readonly string[]): boolean {
  const keys = lines.map((line) => line.replace(/^[^\p{L}\p{N}]+/u, '').toLowerCase());
  const rising = keys.slice(1).filter((key, i) => key >= keys[i]!).length;
  return rising >= (keys.length - 1) * 0.7;
}

const wordsIn = (text: string): number => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

/** Removes the section number of a title. */
const withoutSectionNumber = (title: string): string => title.replace(/^(?:[A-Z]|\d+)(?:\.\d+)*\.?\s+(?=\p{Lu})/u, '');
