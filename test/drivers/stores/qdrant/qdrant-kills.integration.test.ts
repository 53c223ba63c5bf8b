import { testKills } from '../../../support/machines.ts';
import { sharedQdrant } from '../../../support/shared-stores.ts';

testKills(sharedQdrant);
