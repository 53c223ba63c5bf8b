import { mapOrdered } from '../../../core/concurrency.ts';
import { KbError } from '../../../core/errors.ts';
import { count, listNames } from '../../../text/count.ts';
import type { StoreReport } from '../../../ports/stores.ts';
import type { Ask } from './qdrant-connection.ts';
import { listAliases, nameOf } from './qdrant-tables.ts';

/** The first version that has all that is asked of it: points that are written if the stored one is as expected (`update_filter`). */
const OLDEST = [1, 16] as const;
/** Collections that are asked for at once. */
const AT_ONCE = 8;

/** What the server says of itself, and what is amiss. Throws a KbError where it does not answer. */
export async function describeServer(ask: Ask): Promise<StoreReport> {
  const { version } = await ask((api, init) => api.root({}, init).then(({ data }) => ({ data: { result: data } })));
  const cluster = await ask((api, init) => api.clusterStatus({}, init)).catch(ifRefused);
  const nodes = cluster?.status === 'enabled' ? Object.keys(cluster.peers).length : 1;
  const silent = cluster?.status === 'enabled' ? Object.keys(cluster.message_send_failures) : [];
  const told = cluster?.status === 'enabled' ? `, cluster of ${count(nodes, 'node')}` : '';
  return {
    message: `Qdrant ${version}${told}`,
    warnings: [
      ...(isTooOld(version) ? [`Qdrant ${version} is too old: kb needs ${OLDEST.join('.')} or later`] : []),
      ...(silent.length > 0 ? [`${count(silent.length, 'node')} of the cluster did not answer another: ${listNames(silent, 5)}`] : []),
      ...(nodes > 1 ? await unreplicated(ask, nodes) : []),
    ],
  };
}

/** A key that may not ask for it. */
function ifRefused(error: unknown): undefined {
  if (!(error instanceof KbError) || error.code !== 'setup') throw error;
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Collections of ours that a node takes along when it fails. */
async function unreplicated(ask: Ask, nodes: number): Promise<string[]> {
  const names = await listAliases(ask);
  const factors = await Array.fromAsync(
    mapOrdered(names, AT_ONCE, async (collection_name) => {
      const { config } = await ask((api, init) => api.getCollection({ collection_name }, init));
      return config.params.replication_factor ?? 1;
    }),
  );
  const single = names.filter((_, i) => factors[i] === 1).map(nameOf);
  if (single.length === 0) return [];
  return [
    `${listNames(single, 5)} ${single.length === 1 ? 'is' : 'are'} stored once on ${count(nodes, 'node')} (replication_factor 1): when a node fails, searches fail. Set storage.options.replication_factor: 2 and run «kb collections reembed NAME», or raise it on the server`,
  ];
}
