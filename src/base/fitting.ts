import type { z } from 'zod';
import { withoutNulls } from './absent.ts';
import { KbError } from './errors.ts';
import { refuseExcess } from './excess.ts';
import { explain } from './validation.ts';

/** Misfits that are put into words before a value is refused: those of ten megabytes would take a server's breath for seconds. */
const MOST_MISFITS = 10_000;
/** Entries of each list that are looked at where there were more misfits than that. */
const SAMPLE = 10;

class TooManyMisfits extends Error {}

/** The value as the schema makes it; null for an optional field is absent. Throws a KbError (`usage`) that says what does not fit, in a time that is bounded by the value's size. */
export function fitting<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  refuseExcess(given);
  const value = withoutNulls(schema, given);
  const result = bounded(schema, value);
  if (result?.success) return result.data;
  if (result) throw new KbError('usage', explain(result.error, { schema, value }));
  const sample = sampled(value);
  const few = bounded(schema, sample);
  throw new KbError(
    'usage',
    few && !few.success
      ? explain(few.error, { schema, value: sample, isSample: true })
      : `the request: more than ${MOST_MISFITS.toLocaleString('en-US')} values in it do not fit.`,
  );
}

/** What came of it; undefined where there are too many misfits to tell. */
function bounded<Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> | undefined {
  let misfits = 0;
  const error = () => {
    if (++misfits > MOST_MISFITS) throw new TooManyMisfits();
    return undefined;
  };
  try {
    const result = schema.safeParse(value, { error });
    void result.error?.issues; // they may be put into words as late as now
    return result;
  } catch (thrown) {
    if (thrown instanceof TooManyMisfits) return undefined;
    throw thrown;
  }
}

/** The value with the first entries of each list. */
function sampled(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SAMPLE).map(sampled);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, sampled(entry)]));
}
