import { testEdits } from '../../../support/machines.ts';
import { sharedQdrant } from '../../../support/shared-stores.ts';

testEdits(sharedQdrant);
