/** HTML that takes a parser minutes. */
export const slowHtml = '<div>'.repeat(200_000);
