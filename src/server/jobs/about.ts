import { shown } from '../../base/secrets.ts';

/** Sources that a job names. */
const MOST_NAMED = 20;

type Entry = string | Record<string, unknown>;

/**
 * What a job works on, for whoever looks at a list of jobs: files, folders, addresses without what looks like a credential, names of texts. The request
 * itself is not kept: it may hold keys.
 */
export function sourcesOf(request: object): string[] {
  const { docs, urls, url, api, markdown } = request as Record<string, Entry | Entry[] | undefined>;
  const named = [docs, urls, url, api].flatMap((given) => [given ?? []].flat().map(nameOf));
  const texts = [markdown ?? []].flat().map((entry) => (typeof entry === 'string' ? 'markdown' : String(entry.source ?? 'markdown')));
  return [...new Set([...named, ...texts])].slice(0, MOST_NAMED);
}

function nameOf(entry: Entry): string {
  const name = typeof entry === 'string' ? entry : String(entry.path ?? entry.folder ?? entry.url ?? '');
  return /^[a-z]+:\/\//i.test(name) ? shown(name) : name;
}
