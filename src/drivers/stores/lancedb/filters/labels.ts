import type { Table } from '@lancedb/lancedb';
import { AS_NUMBER, AS_TEXT, ENTRY, textEntry, unmarked } from './field-entries.ts';
import type { FilterScalar } from '../../../../schema/stored/filter.ts';

// What filters ask for most often stands in a column of its own, too, which has an index: of the entries of `fields` those with short values. Each row has
// them all, so that a row without a label does not hold it. Who does not know the column can't write to its table: LanceDB refuses rows without it. Tables
// that were made before the column was get it from `kb optimize`.

/** The column of labels. */
export const LABELS = 'labels';

/** Keys that tell one document or passage from all others: labels of them would be as many as rows. */
const UNLABELLED = ['title', 'content_hash', 'ingested_at', 'location\\.[^\u0001-\u0003]*'].join('|');
/** Letters of a key and of a value, at most. */
const [LONGEST_KEY, LONGEST_VALUE] = [64, 40];

/**
 * The entries of `fields` that are no labels, each with the mark before it; the same for JavaScript and LanceDB. Numbers count what is counted: those of more
 * than four characters are no labels either, which is known by the sortable number behind them.
 */
const OTHERS = `${ENTRY}(?:${[
  `[^\u0001-\u0003]*${AS_TEXT}-?[0-9.]{5,}${ENTRY}[^\u0001-\u0003]*${AS_NUMBER}[^${ENTRY}]*`,
  `(?:${UNLABELLED})${AS_TEXT}[^${ENTRY}]*`,
  `[^\u0001-\u0003]*${AS_NUMBER}[^${ENTRY}]*`,
  `[^\u0001-\u0003]{${LONGEST_KEY + 1},}${AS_TEXT}[^${ENTRY}]*`,
  `[^\u0001-\u0003]*${AS_TEXT}[^${ENTRY}]{${LONGEST_VALUE + 1},}`,
].join('|')})`;
const OTHERS_EVERYWHERE = new RegExp(OTHERS, 'gu');

/** The labels in the text of all fields. */
export const labelsIn = (fields: string): string[] => fields.replace(OTHERS_EVERYWHERE, '').split(ENTRY).filter(Boolean);

/** The label that says that the field has the value; undefined where there is none, or only if the value is no number. */
export function labelOf(field: string, value: FilterScalar): string | undefined {
  const asNumber = unmarked(field) + AS_NUMBER;
  const [label] = labelsIn([textEntry(field, value), asNumber].map((entry) => ENTRY + entry).join(''));
  return label;
}

const LABELS_SQL = `string_to_array(btrim(regexp_replace(fields, '${OTHERS}', '', 'g'), '${ENTRY}'), '${ENTRY}')`;

const labelled = new WeakSet<Table>();

/** Whether all rows of the table have labels. */
export async function hasLabels(table: Table): Promise<boolean> {
  if (labelled.has(table)) return true;
  const column = (await table.schema()).fields.find(({ name }) => name === LABELS);
  if (column?.nullable !== false) return false; // a process was killed before the column was whole
  labelled.add(table);
  return true;
}

/** Gives a table the column. Nobody may write to it meanwhile. */
export async function addLabels(table: Table): Promise<void> {
  if ((await table.schema()).fields.some(({ name }) => name === LABELS)) await table.dropColumns([LABELS]);
  await table.addColumns([{ name: LABELS, valueSql: LABELS_SQL }]);
  await table.alterColumns([{ path: LABELS, nullable: false }]);
}
