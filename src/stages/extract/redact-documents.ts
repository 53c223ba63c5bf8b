import { basicForms, credentialsIn, redactor } from '../../core/secrets.ts';
import { rewriteDocument, type RewriteText } from '../../text/clean-text.ts';
import { isHarmless } from '../../http/site-headers.ts';
import type { Config } from '../../schema/config.ts';
import { settingsFor } from './api/api-settings.ts';
import type { Extracted } from './candidate.ts';
import { addressesIn, type NetworkSources } from './pages/network.ts';

/** What is asked of the network, and what the configuration sends along. */
interface Sent extends NetworkSources {
  sites: Config['network']['sites'];
  settings: Config['ingestion']['api'];
}

type Fields = readonly (readonly [string, unknown])[];

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]): Fields => (typeof inner === 'object' ? fieldsIn(inner) : [[name, inner]]))
    : [];

function addressCredentials(address: string): string[] {
  const { username, password, searchParams } = new URL(address);
  const pair = username === '' ? [] : basicForms(`${decoded(username)}:${decoded(password)}`);
  return [...pair, ...[...searchParams].flatMap(([name, value]) => credentialsIn(name, value))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes the credentials that a run sends out of what comes back; undefined where it sends none. */
export function redactorFor({ docs, urls, api, sites, settings }: Sent): RewriteText | undefined {
  const apis = [api ?? []].flat().map((entry) => settingsFor(entry, settings));
  const asked = apis.flatMap(({ headers, params, body }) => [headers, params, body].flatMap(fieldsIn));
  const given = sites.flatMap(({ headers = {}, cookies = {} }) => [
    ...Object.entries(headers).filter(([name]) => !isHarmless(name)),
    ...Object.entries(cookies),
  ]);
  return redactor([
    ...sites.flatMap(({ basic_auth }) => (basic_auth === undefined ? [] : basicForms(basic_auth))),
    ...given.flatMap(([name, value]) => credentialsIn(name, value, { isGiven: true })),
    ...asked.flatMap(([name, value]) => credentialsIn(name, String(value))),
    ...addressesIn({ docs, urls, api }).flatMap(addressCredentials),
  ]);
}

/** What an extractor yields, without these credentials in documents and messages. */
export async function* redacted(items: AsyncIterable<Extracted>, redact: RewriteText | undefined): AsyncGenerator<Extracted, void, void> {
  for await (const item of items) yield redact ? redactedItem(item, redact) : item;
}

function redactedItem(item: Extracted, redact: RewriteText): Extracted {
  if ('error' in item) return { ...item, error: { ...item.error, error: redact(item.error.error) } };
  if ('notice' in item) return { notice: redact(item.notice) };
  if (!('candidate' in item)) return item;
  const { candidate } = item;
  return { candidate: { ...candidate, document: async () => rewriteDocument(await candidate.document(), redact) } };
}
