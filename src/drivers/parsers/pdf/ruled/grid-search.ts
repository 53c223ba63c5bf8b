import type { PageTurn, PdfLine } from '../pdf-lines.ts';
import { type Grid, gridsOf } from './grids.ts';
import { type Drawing, drawnRules } from './page-rules.ts';

/** A page with a table has at least so many rows whose parts stand side by side. */
const LEAST_ROWS = 2;
const SAME_LINE = 0.5;
/** After so many such pages without a grid only some are looked at, until there is one again: it takes half as long as to read the text of a page. */
const FRUITLESS = 3;
const ONE_OF = 8;

/** Looks for grids on the pages of a document, one after the other, where a table may stand. */
export class GridSearch {
  #fruitless = 0;

  /** The grids that are drawn on a page of these lines. */
  async gridsOn(page: { getOperatorList(): Promise<Drawing> }, lines: readonly PdfLine[], turn: PageTurn): Promise<Grid[]> {
    if (!mayHaveTable(lines)) return [];
    this.#fruitless++;
    if (this.#fruitless > FRUITLESS && this.#fruitless % ONE_OF !== 0) return [];
    const grids = gridsOf(drawnRules(await page.getOperatorList(), turn));
    if (grids.length > 0) this.#fruitless = 0;
    return grids;
  }
}

function mayHaveTable(lines: readonly PdfLine[]): boolean {
  const ordered = lines.toSorted((a, b) => b.y - a.y);
  const rows = ordered.filter((line, i) => line.cells.length > 1 || (i > 0 && ordered[i - 1]!.y - line.y < SAME_LINE * line.size));
  return rows.length >= LEAST_ROWS;
}
