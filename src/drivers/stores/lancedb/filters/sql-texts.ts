/** A text as SQL writes it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A condition that holds where the column has one of the texts. */
export const inList = (column: string, values: readonly string[]): string => `${column} IN (${values.map(quoted).join(', ')})`;
