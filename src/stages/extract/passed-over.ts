import { readablePath } from '../../base/file-names.ts';

/** Names in a sentence. */
const MOST_NAMED = 3;

const named = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en')} more` : '');
};

/** What is said of links that were not followed, and why. */
export const unfollowedLinks = (links: readonly string[], given: string): string =>
  links.length === 1
    ? `A link leads out of ${readablePath(given)} and was not followed: ${named(links)}. follow_links (--follow-links) follows it.`
    : `${links.length.toLocaleString('en')} links lead out of ${readablePath(given)} and were not followed: ${named(links)}. follow_links (--follow-links) follows them.`;

/** What is said of files that hold nothing. */
export const emptyFiles = (sources: readonly string[]): string =>
  sources.length === 1
    ? `A file is empty and was passed over: ${named(sources)}.`
    : `${sources.length.toLocaleString('en')} files are empty and were passed over: ${named(sources)}.`;
