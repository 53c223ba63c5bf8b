import { testWriters } from '../../../support/machines.ts';
import { sharedQdrant } from '../../../support/shared-stores.ts';

testWriters(sharedQdrant);
