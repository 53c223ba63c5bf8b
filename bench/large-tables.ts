import XLSX from 'xlsx';
import { random, sentence } from './manual.ts';

const HEADER = ['Id', 'Date', 'Count', 'Price', 'Note'];
/** 1 January 2024, as Excel counts days. */
const FIRST_DAY = 45_292;

/** One table of many rows as a CSV file and as a workbook: numbers, prices, dates with a format, a sentence with commas and quotation marks in each. */
export function largeTables(count: number): Record<'.csv' | '.xlsx', Buffer> {
  const next = random(count);
  const rows = Array.from({ length: count }, (_, index) => [
    `P-${index + 1}`,
    FIRST_DAY + (index % 366),
    Math.floor(next() * 500),
    Math.round(next() * 10_000) / 100,
    `${sentence(next)} "${index}", ${sentence(next)}`,
  ]);
  const sheet = XLSX.utils.aoa_to_sheet([HEADER, ...rows]);
  for (let row = 2; row <= count + 1; row++) {
    sheet[`B${row}`].z = 'dd.mm.yyyy';
    sheet[`D${row}`].z = '#,##0.00';
  }
  const book = XLSX.utils.book_new();
  XLSX.utils.book_append_sheet(book, sheet, 'Parts');
  return { '.csv': Buffer.from(XLSX.utils.sheet_to_csv(sheet)), '.xlsx': XLSX.write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer };
}
