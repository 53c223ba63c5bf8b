import type { Metadata } from '../../../schema/items.ts';
import type { FilterScalar } from '../../../schema/stored/filter.ts';
import { toNumber, listScalars, shortenForIndex } from '../../../core/filters.ts';

// Metadata may have any keys, but a table has fixed columns: so one text column holds all scalars of a chunk, and a filter searches in that text. An entry
// stands between two marks: the path, then the value as text. Numbers have a second entry, with hexadecimal digits that sort as the numbers do.

/** Before and after every entry. */
export const ENTRY_MARK = '\u0001';
/** Between a path and a value as text. */
export const TEXT_MARK = '\u0002';
/** Between a path and a sortable number. */
export const NUMBER_MARK = '\u0003';

/** Removes the marks from a key or value. */
export const removeMarks = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0003]/g, '\ufffd');

/** Writes a value for an entry. Texts, numbers and booleans that are written alike are equal: `1995` and `"1995"`. */
export const toTextValue = (value: FilterScalar): string => shortenForIndex(removeMarks(String(value)));

const bits = new DataView(new ArrayBuffer(8));

/** Writes a number as 16 hexadecimal digits that sort as numbers do: the bits of the double with the sign inverted, all inverted if it is negative. */
export function toSortableNumber(value: number): string {
  bits.setFloat64(0, value + 0); // -0 is 0
  const raw = bits.getBigUint64(0);
  const sortable = raw >> 63n ? raw ^ 0xffff_ffff_ffff_ffffn : raw | (1n << 63n);
  return sortable.toString(16).padStart(16, '0');
}

const toTextEntry = (path: string, value: FilterScalar): string => removeMarks(path) + TEXT_MARK + toTextValue(value);

function toEntries([path, value]: [string, FilterScalar]): string[] {
  const number = toNumber(value);
  return [toTextEntry(path, value), ...(number === undefined ? [] : [removeMarks(path) + NUMBER_MARK + toSortableNumber(number)])];
}

/** Writes all scalars of the metadata in one text: those in lists under the list's key, nested keys as dotted paths (`location.page`). */
export const toFieldsText = (metadata: Metadata): string =>
  `${ENTRY_MARK}${[...listScalars(metadata)].flatMap(toEntries).join(ENTRY_MARK)}${ENTRY_MARK}`;

// Short values, which most filters use, are also stored as labels in an indexed column of lists. A row has the labels of all its short values, so a row
// without a label does not have the value.

/** The column of labels. */
export const LABELS = 'labels';

/** Keys whose values are unique to a document or passage: there would be as many labels as rows. */
const UNLABELLED_KEY = /^(?:title|content_hash|ingested_at|location\..*)$/su;
/** Maximum letters of a key and of a value. */
const [MAX_KEY_LENGTH, MAX_VALUE_LENGTH] = [64, 40];
/** Numbers of more than four characters are mostly measurements, which differ from row to row. */
const LONG_NUMBER = /^-?[0-9.]{5,}$/;

function toShortEntry(path: string, value: FilterScalar): string | undefined {
  const key = removeMarks(path);
  const isShort = [...key].length <= MAX_KEY_LENGTH && [...toTextValue(value)].length <= MAX_VALUE_LENGTH && !UNLABELLED_KEY.test(key);
  return isShort ? toTextEntry(path, value) : undefined;
}

/** Makes the labels of a row: one for each short value that is not a long number. */
export const toRowLabels = (metadata: Metadata): string[] =>
  [...listScalars(metadata)].flatMap(([path, value]) => {
    const isLongNumber = toNumber(value) !== undefined && LONG_NUMBER.test(toTextValue(value));
    return isLongNumber ? [] : (toShortEntry(path, value) ?? []);
  });

/** Makes the label of the rows whose field has the value; undefined if some have none: a text like a long number may be stored as a number. */
export const toLabel = (field: string, value: FilterScalar): string | undefined =>
  LONG_NUMBER.test(toTextValue(value)) ? undefined : toShortEntry(field, value);
