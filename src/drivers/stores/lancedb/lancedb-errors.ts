import { call, operatorAdvice } from '../../../core/advice/advice.ts';
import { KbError } from '../../../core/errors.ts';
import { folderOf, notAFolderError } from './lancedb-connection.ts';

/** Whether LanceDB reports that a table or its files are missing. */
export const isTableGone = (error: unknown): boolean =>
  !(error instanceof KbError) && /not found|no such file|os error 2\b/i.test(String(error));

/** Converts an error of LanceDB or of its folder to a KbError with a readable message. */
export function storeError(error: unknown, url: string): KbError {
  if (error instanceof KbError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const remote = folderOf(url) === undefined ? objectStorageError(message, { url, cause: error }) : undefined;
  if (remote) return remote;
  if (/no space left|ENOSPC|os error 28|EDQUOT|os error 122/i.test(message)) {
    return new KbError('unavailable', `The disk that holds the store ${url} is full.`, {
      hint: operatorAdvice`Free some space and run it again: what was stored before is kept.`,
      cause: error,
      isRetryable: true,
    });
  }
  if (/permission denied|access is denied|EACCES|EPERM|EROFS|read-only file system|os error (?:13|30)\b/i.test(message)) {
    return new KbError('configuration', `The store ${url} can't be used: permission denied.`, {
      hint: operatorAdvice`Set storage.url to a folder that you may read and write.`,
      cause: error,
    });
  }
  if (/ENOTDIR|EEXIST|not a directory|os error 20\b/i.test(message)) return notAFolderError(url, error);
  if (/regexp_like|regex_match/.test(message)) {
    return new KbError('usage', 'The filter is too large: it has too many values, or a bound that is too long.', {
      hint: 'Give fewer values (some thousands are possible) or a shorter bound.',
      cause: error,
    });
  }
  const reason = message
    .split(/(?:^|, ?| )\/[^ ,]*\.rs:|\n/)[0]!
    .replace(/^Failed to get next batch from stream: |\blance error: /g, '')
    .slice(0, 300);
  return new KbError('internal', `The store ${url} failed: ${reason.replace(/\.?$/, '.')}`, {
    hint: operatorAdvice`It may be damaged: ${call('doctor')} says where, and how to mend it.`,
    cause: error,
  });
}

/** Runs work on a store, and converts its errors to KbErrors. */
export const translateErrors = <T>(url: string, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw storeError(error, url);
  });

interface Failure {
  /** Matches the message of a server or of LanceDB. */
  message: RegExp;
  code: 'configuration' | 'unavailable';
  problem: string;
  hint: string;
}

/** Failures of object storage, the most specific first. */
const STORAGE_FAILURES: readonly Failure[] = [
  {
    message: /Failed to get AWS credentials|CredentialsNotLoaded|no providers in chain provided credentials/i,
    code: 'configuration',
    problem: 'no credentials were found',
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN), AWS_PROFILE, or run on a machine that has a role.',
  },
  {
    message: /SignatureDoesNotMatch/,
    code: 'configuration',
    problem: 'the secret does not belong to the access key',
    hint: 'Set AWS_SECRET_ACCESS_KEY to the secret of the key in AWS_ACCESS_KEY_ID, and look whether the endpoint is that of the key.',
  },
  {
    message: /InvalidAccessKeyId|InvalidClientTokenId/,
    code: 'configuration',
    problem: 'the access key is unknown',
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key of this server (storage.options.endpoint, else AWS_ENDPOINT_URL, else Amazon).',
  },
  {
    message: /ExpiredToken|InvalidToken/,
    code: 'configuration',
    problem: 'the credentials have expired',
    hint: 'Fetch new ones, and set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN to them.',
  },
  {
    message: /AuthenticationFailed|\b401\b/,
    code: 'configuration',
    problem: 'the credentials were refused',
    hint: 'Look whether they are those of the endpoint: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, GOOGLE_APPLICATION_CREDENTIALS, or AZURE_STORAGE_ACCOUNT_KEY.',
  },
  {
    message: /AuthorizationHeaderMalformed|PermanentRedirect|IllegalLocationConstraint|BareRedirect|\b301\b/i,
    code: 'configuration',
    problem: 'the bucket is in another region',
    hint: 'Set storage.options.region, or AWS_REGION, to the region of the bucket.',
  },
  {
    message: /NoSuchBucket|ContainerNotFound|bucket does not exist|status: 404/i,
    code: 'configuration',
    problem: 'there is no such bucket',
    hint: 'Make the bucket, or set storage.url to one that there is.',
  },
  {
    message: /AccessDenied|lacked the necessary privileges|status: 403|403 Forbidden/i,
    code: 'configuration',
    problem: 'access was denied',
    hint: 'Give the credentials the rights that docs/object-storage.md lists: readers need to list and get, writers also to put and delete.',
  },
  {
    message: /BadScheme|builder error/,
    code: 'configuration',
    problem: 'its endpoint is no https:// address',
    hint: 'Set storage.options.endpoint to an https:// address, or storage.options.allow_http to true.',
  },
  {
    message: /kind: Connect|tcp connect error|dns error|error trying to connect/i,
    code: 'unavailable',
    problem: "the endpoint can't be reached",
    hint: 'Look at the network, at storage.options.endpoint and at storage.options.region.',
  },
  {
    message: /max_retries|after \d{1,4} retries|retry_timeout|operation timed out|kind: (?:Timeout|Request|Interrupted|Decode)/i,
    code: 'unavailable',
    problem: 'the endpoint did not answer, or answered with errors, however often it was asked',
    hint: 'Run it again: what was stored before is kept.',
  },
];

/** Converts a failure of object storage to a KbError; undefined for another message. */
function objectStorageError(message: string, { url, cause }: { url: string; cause: unknown }): KbError | undefined {
  const found = STORAGE_FAILURES.find((failure) => failure.message.test(message));
  if (!found) return undefined;
  const { code, problem, hint } = found;
  return new KbError(code, `The store ${url} can't be used: ${problem}.`, {
    hint: operatorAdvice`${hint}`,
    cause,
    isRetryable: code === 'unavailable',
  });
}
