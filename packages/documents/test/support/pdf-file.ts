/** A line of a page; places in points from the lower left corner. Without a place it stands under the line before. */
export type PdfText = string | { text: string; size?: number; x?: number; y?: number; font?: keyof typeof FONTS };

const FONTS = { plain: 'F1', typewriter: 'F2', bold: 'F3' };

interface PdfOptions {
  info?: Record<string, string>;
  /** Entries of the outline, all on the first level: a title alone leads to the first page, others to a place `top` points above the lower edge of theirs. */
  outline?: readonly (string | { title: string; page: number; top: number })[];
  /** Links on the first page: where they lead, and their left, lower, right and upper edge. */
  links?: readonly { url: string; rect: readonly [number, number, number, number] }[];
  /** Annotations of the first page, as PDF objects. */
  annotations?: readonly string[];
  /** Further fonts (`/F4`, …): Helvetica whose codes stand for these texts. */
  fonts?: readonly Readonly<Record<number, string>>[];
  /** Entries of every page beside the usual ones. */
  page?: string;
  /** Entries of the trailer beside the usual ones. */
  trailer?: string;
}

const LINE_STEP = 1.2;
const literal = (text: string): string => `(${text.replace(/[\\()]/g, '\\$&')})`;

function pageContent(lines: readonly PdfText[]): string {
  let y = 760;
  const shown = lines.map((line) => {
    const { text, size = 12, x = 72, y: place, font = 'plain' } = typeof line === 'string' ? { text: line } : line;
    y = place ?? y - size * LINE_STEP;
    return `BT /${FONTS[font]} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`;
  });
  return shown.join('\n');
}

const otherFont = (name: string): string => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;

/** A table of the texts that codes stand for (ISO 32000-1, 9.10.3). */
function unicodeMap(codes: Readonly<Record<number, string>>): string {
  const hex = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
  const lines = Object.entries(codes).map(([code, text]) => `<${Number(code).toString(16).padStart(2, '0')}> <${hex(text)}>`);
  return `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${lines.length} beginbfchar ${lines.join(' ')} endbfchar endcmap end`;
}

/** A PDF of these pages, in Helvetica, Courier and WinAnsi. A page of a string is drawn by its operators. */
export function pdfFile(
  pages: readonly (readonly PdfText[] | string)[],
  { info = {}, outline = [], links = [], annotations: others = [], fonts = [], page: more = '', trailer = '' }: PdfOptions = {},
): Buffer {
  const first = 6 + outline.length;
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`);
  const entry = (i: number) => (i < 0 || i >= outline.length ? '' : `${6 + i} 0 R`);
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${outline.length > 0 ? '/Outlines 5 0 R' : ''} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< ${Object.entries(info)
      .map(([key, value]) => `/${key} ${literal(value)}`)
      .join(' ')} >>`,
    `<< /Type /Outlines ${outline.length > 0 ? `/First ${entry(0)} /Last ${entry(outline.length - 1)} /Count ${outline.length}` : ''} >>`,
    ...outline.map(
      (item, i) =>
        `<< /Title ${literal(typeof item === 'string' ? item : item.title)} /Parent 5 0 R ${i > 0 ? `/Prev ${entry(i - 1)}` : ''} ${entry(i + 1) ? `/Next ${entry(i + 1)}` : ''} /Dest [${typeof item === 'string' ? `${kids[0]} /Fit` : `${kids[item.page - 1]} /XYZ 0 ${item.top} null`}] >>`,
    ),
  ];
  const added = fonts.map((_, i) => `/F${4 + i} ${first + 2 * pages.length + 2 * i} 0 R`).join(' ');
  const annotations = `/Annots [${others.join(' ')} ${links
    .map(
      ({ url, rect }) => `<< /Type /Annot /Subtype /Link /Rect [${rect.join(' ')}] /A << /Type /Action /S /URI /URI ${literal(url)} >> >>`,
    )
    .join(' ')}]`;
  for (const page of pages) {
    const content = typeof page === 'string' ? page : pageContent(page);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${more} /Resources << /Font << /F1 3 0 R /F2 ${otherFont('Courier')} /F3 ${otherFont('Helvetica-Bold')} ${added} >> >> /Contents ${objects.length + 2} 0 R ${page === pages[0] ? annotations : ''} >>`,
    );
    objects.push(`<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`);
  }
  for (const codes of fonts) {
    const map = unicodeMap(codes);
    objects.push(`<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode ${objects.length + 2} 0 R >>`);
    objects.push(`<< /Length ${map.length} >>\nstream\n${map}\nendstream`);
  }
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const end = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + end, 'latin1');
}
