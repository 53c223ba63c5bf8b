import { openQdrant } from '../../../../src/drivers/stores/qdrant/qdrant.ts';
import { folder } from '../../../support/folder.ts';
import { testMachines } from '../../../support/machines.ts';
import { emptyQdrant, QDRANT } from '../../../support/real-qdrant.ts';

testMachines(QDRANT, async () => {
  const url = await emptyQdrant();
  const store = await openQdrant({ url, environment: { XDG_STATE_HOME: folder() } });
  return { settings: { storage: { vector_db: 'qdrant', url } }, look: async (name = 'default') => (await store.open(name))! };
});
