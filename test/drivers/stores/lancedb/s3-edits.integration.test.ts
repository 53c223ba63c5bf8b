import { testEdits } from '../../../support/machines.ts';
import { withS3 } from '../../../support/s3-server.ts';
import { sharedBucket } from '../../../support/shared-stores.ts';

withS3('several machines', () => testEdits(sharedBucket));
