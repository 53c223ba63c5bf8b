/** HTML that takes a parser minutes: as deep as it may be, many times. */
export const slowHtml = `${'<div>'.repeat(9_000)}${'</div>'.repeat(9_000)}`.repeat(100);
