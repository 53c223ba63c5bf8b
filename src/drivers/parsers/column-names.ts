const isWords = (cell: string): boolean => !/\d/.test(cell);

/** Whether the cells of a row name the columns of the rows below: words alone, above something else than words. */
export const namesColumns = (cells: readonly string[], below: readonly (readonly string[])[]): boolean =>
  cells.length > 1 &&
  cells.every((cell) => isWords(cell) && cell.trim() !== '') &&
  below.length > 0 &&
  !below.every((row) => row.every(isWords));
