import { KbError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { ApiSettings } from './api-settings.ts';
import type { PageSeen } from './pagination.ts';
import { valueAt } from './records.ts';

/** How fields are called that lead on to further pages. */
const LEADING =
  /^(@?odata\.)?_*(next(_?(page|link|url|uri|href|cursor|token|offset|key|id|marker|batch|results?|records?))*|(end_?)?cursor|after|continue|continuation(_?token)?|page_?token|has_?(more|next(_?page)?))$/i;
/** Fields that are looked at: those of an answer and of the objects in it, not those of its records. */
const DEEPEST = 3;
/** Where the address is in an object that leads on (HAL, JSON:API). */
const ADDRESS = /^(href|url)$/i;
/** What stands beside a next page in formats that name none where there is none (HAL, JSON:API, OData). */
const NEIGHBOUR = /^(self|first|last|prev(ious)?|@?odata\.(context|count|metadata))$/i;
/** How answers count their pages, and say which one they are. */
const PAGES = /^(total_?pages?|pages?_?(count|total)|num_?pages|nb_?pages|last_?page|pages)$/i;
const PAGE = /^((current_?)?page(_?(no|num|number|index))?|current|number)$/i;

/**
 * Why a first answer, after which no page is asked for, may not be the only page: a sentence for a person; undefined where it says itself that nothing comes
 * after it. `name` is the API's. Throws a KbError (`invalid`) where a cursor is there, but not at `cursor_path`: who misspelt that would take the first page
 * for all there is.
 */
export function doubtfulEnd({ pagination }: Pick<ApiSettings, 'pagination'>, page: PageSeen, name: string): string | undefined {
  const { type, cursor_path, size } = pagination ?? {};
  if (type !== 'cursor' && type !== 'link') return undefined;
  const leading = leadingIn(page.value);
  const [first] = leading;
  if (type === 'link')
    return first === undefined ? undefined : `${name} has «${first}» but no Link header: one page was read, and there may be more.`;
  const path = cursor_path!;
  const found = valueAt(page.value, path);
  if (found !== undefined && !isOn(found)) return undefined;
  const at = lastOnTheWay(page.value, path);
  if (found === undefined && isEmpty(at)) return undefined;
  const fields = Object.entries(at ?? {});
  const isCount = (dotted: string): boolean => PAGES.test(dotted.split('.').at(-1)!);
  const cursors = leading.filter((dotted) => !isCount(dotted));
  const meant = nearest(
    path.split('.').at(-1)!,
    fields.flatMap(([key, value]) => (isOn(value) && !isCount(key) ? [key] : [])),
  );
  if (cursors.length > 0 || meant !== undefined || found !== undefined)
    throw misled(name, path, leading.length > 0 ? leading : fields.map(([key]) => key));
  if (first !== undefined) return `${name} has «${first}» but nothing at cursor_path «${path}»: one page was read, and there may be more.`;
  if (fields.some(([key]) => NEIGHBOUR.test(key))) return undefined;
  if (size !== undefined && page.count !== undefined && page.count < size) return undefined;
  return `${name} holds nothing at cursor_path «${path}»: it was treated as the only page, but there may be more.`;
}

const misled = (name: string, path: string, there: string[]): KbError =>
  new KbError('invalid', `${name}: cursor_path «${path}» finds no cursor in the first response.`, {
    hint: `The answer has ${there.slice(0, 20).join(', ') || 'no fields'}.`,
  });

/** Whether a value is, or holds, more than a way to say that nothing comes. */
const isOn = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? !isEmpty(value)
    : value !== undefined && value !== null && value !== '' && value !== false && value !== 0;

const isEmpty = (value: unknown): boolean => value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** As far as a dotted path leads: the value that its first missing part is missing in. */
function lastOnTheWay(value: unknown, path: string): unknown {
  let at = value;
  for (const key of path.split('.').slice(0, -1)) {
    const inner = valueAt(at, key);
    if (inner === undefined) break;
    at = inner;
  }
  return at;
}

/** Dotted paths to what says that there is more. `isLeading`: the object itself is called so. */
function leadingIn(value: unknown, depth = 1, isLeading = false): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const isCounted = entries.some(([key, inner]) => PAGE.test(key) && typeof inner !== 'object');
  return entries.flatMap(([key, inner]) => {
    const leads = LEADING.test(key);
    if (typeof inner === 'object') return depth < DEEPEST ? leadingIn(inner, depth + 1, leads).map((path) => `${key}.${path}`) : [];
    const isMore = (isCounted && PAGES.test(key) && Number(inner) > 1) || ((leads || (isLeading && ADDRESS.test(key))) && isOn(inner));
    return isMore ? [key] : [];
  });
}
