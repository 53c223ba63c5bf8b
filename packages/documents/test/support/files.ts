import { openArchive } from '../../src/office/archive.ts';
import type { CellObject, WorkBook, WorkSheet } from 'xlsx';
import { zipFile, type Part } from './zip.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const SCHEMAS = 'http://schemas.openxmlformats.org';
const OFFICE_RELATION = `${SCHEMAS}/officeDocument/2006/relationships`;
const escape = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

interface Relation {
  id: string;
  type: string;
  target: string;
  isExternal?: boolean;
}

const relations = (list: readonly Relation[]): string =>
  `${XML}<Relationships xmlns="${SCHEMAS}/package/2006/relationships">${list
    .map(
      ({ id, type, target, isExternal }) =>
        `<Relationship Id="${id}" Type="${type}" Target="${escape(target)}"${isExternal ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`;

const contentTypes = (overrides: Record<string, string>): string =>
  `${XML}<Types xmlns="${SCHEMAS}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    overrides,
  )
    .map(([part, type]) => `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`)
    .join('')}</Types>`;

/** Core properties by their element, for example `{ 'dc:title': 'Plan' }`. */
export type CoreProperties = Record<string, string>;

const coreXml = (core: CoreProperties): string =>
  `${XML}<cp:coreProperties xmlns:cp="${SCHEMAS}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">${Object.entries(
    core,
  )
    .map(([name, value]) => `<${name}>${escape(value)}</${name}>`)
    .join('')}</cp:coreProperties>`;

interface Package {
  main: string;
  overrides: Record<string, string>;
  core: CoreProperties;
  parts: Record<string, Part>;
}

const officeFile = ({ main, overrides, core, parts }: Package): Buffer =>
  zipFile({
    '[Content_Types].xml': contentTypes(overrides),
    '_rels/.rels': relations([
      { id: 'r1', type: `${OFFICE_RELATION}/officeDocument`, target: main },
      { id: 'r2', type: `${SCHEMAS}/package/2006/relationships/metadata/core-properties`, target: 'docProps/core.xml' },
    ]),
    'docProps/core.xml': coreXml(core),
    ...parts,
  });

/** A paragraph of a DOCX. `list` is a level from 0; `raw` are runs written by hand. */
export function wordParagraph(
  text: string,
  { style, list, raw = '' }: { style?: string; list?: { id: 1 | 2; level: number }; raw?: string } = {},
): string {
  const numbering = list ? `<w:numPr><w:ilvl w:val="${list.level}"/><w:numId w:val="${list.id}"/></w:numPr>` : '';
  const named = style ? `<w:pStyle w:val="${style}"/>` : '';
  const run = text === '' ? '' : `<w:r><w:t xml:space="preserve">${escape(text)}</w:t></w:r>`;
  return `<w:p><w:pPr>${named}${numbering}</w:pPr>${run}${raw}</w:p>`;
}

/** A table of a DOCX; a cell is its text, or its text and what stands in `w:tcPr`. */
export const wordTable = (rows: (string | [text: string, properties: string])[][]): string =>
  `<w:tbl>${rows
    .map(
      (cells) =>
        `<w:tr>${cells
          .map((cell) => (typeof cell === 'string' ? [cell, ''] : cell))
          .map(([text = '', properties]) => `<w:tc><w:tcPr>${properties}</w:tcPr>${wordParagraph(text)}</w:tc>`)
          .join('')}</w:tr>`,
    )
    .join('')}</w:tbl>`;

/** A DOCX of this body. List 1 has bullets, list 2 numbers; `links` are addresses by their relation id. */
export function docxFile(body: string, { core = {}, links = {} }: { core?: CoreProperties; links?: Record<string, string> } = {}): Buffer {
  const names = `xmlns:w="${SCHEMAS}/wordprocessingml/2006/main" xmlns:r="${OFFICE_RELATION}"`;
  const style = (id: string, name: string) => `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  const levels = (format: string) => [0, 1, 2].map((level) => `<w:lvl w:ilvl="${level}"><w:numFmt w:val="${format}"/></w:lvl>`).join('');
  const list = (id: number, format: string) => `<w:abstractNum w:abstractNumId="${id}">${levels(format)}</w:abstractNum>`;
  return officeFile({
    main: 'word/document.xml',
    overrides: {
      'word/document.xml': 'wordprocessingml.document.main',
      'word/styles.xml': 'wordprocessingml.styles',
      'word/numbering.xml': 'wordprocessingml.numbering',
    },
    core,
    parts: {
      'word/document.xml': `${XML}<w:document ${names}><w:body>${body}</w:body></w:document>`,
      'word/styles.xml': `${XML}<w:styles ${names}>${style('Title', 'Title')}${style('Heading1', 'heading 1')}${style('Heading2', 'heading 2')}${style('TOCHeading', 'TOC Heading')}${style('TOC1', 'toc 1')}</w:styles>`,
      'word/numbering.xml': `${XML}<w:numbering ${names}>${list(1, 'bullet')}${list(2, 'decimal')}<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num></w:numbering>`,
      'word/_rels/document.xml.rels': relations([
        { id: 'rStyles', type: `${OFFICE_RELATION}/styles`, target: 'styles.xml' },
        { id: 'rNumbering', type: `${OFFICE_RELATION}/numbering`, target: 'numbering.xml' },
        ...Object.entries(links).map(([id, target]) => ({ id, type: `${OFFICE_RELATION}/hyperlink`, target, isExternal: true })),
      ]),
    },
  });
}

export interface Slide {
  title: string;
  bullets?: string[];
  table?: string[][];
  notes?: string;
  /** Further shapes, as XML. */
  shapes?: string;
  /** The addresses of links, by the names that shapes give them. */
  links?: Record<string, string>;
  /** The data of a diagram (SmartArt), as XML. */
  diagram?: string;
  /** The part of a chart, as XML. */
  chart?: string;
  isHidden?: boolean;
}

const drawn = (paragraphs: readonly string[], properties = ''): string =>
  paragraphs.map((text) => `<a:p>${properties}<a:r><a:t>${escape(text)}</a:t></a:r></a:p>`).join('');
const shape = (kind: string, content: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="${kind}"/><p:cNvSpPr/><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${content}</p:txBody></p:sp>`;

function slideTable(rows: readonly string[][]): string {
  const cells = rows
    .map((row) => `<a:tr h="1">${row.map((text) => `<a:tc><a:txBody><a:bodyPr/>${drawn([text])}</a:txBody></a:tc>`).join('')}</a:tr>`)
    .join('');
  const grid = `<a:tblGrid>${rows[0]!.map(() => '<a:gridCol w="1"/>').join('')}</a:tblGrid>`;
  return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="t"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="${SCHEMAS}/drawingml/2006/table"><a:tbl>${grid}${cells}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
}

const DIAGRAM =
  '<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="d" r:dm="d1"/></a:graphicData></a:graphic></p:graphicFrame>';

const CHART = '<p:graphicFrame><a:graphic><a:graphicData><c:chart xmlns:c="c" r:id="c1"/></a:graphicData></a:graphic></p:graphicFrame>';

const shapesOf = ({ title, bullets = [], table, shapes = '', diagram, chart }: Slide): string =>
  shape('title', drawn([title])) +
  shape('body', drawn(bullets, '<a:pPr><a:buChar char="•"/></a:pPr>')) +
  (table ? slideTable(table) : '') +
  shapes +
  (diagram ? DIAGRAM : '') +
  (chart ? CHART : '');

/** The part of a bar chart, as its program keeps it. */
export function chartPart(
  title: string,
  categories: readonly string[],
  series: Readonly<Record<string, readonly number[]>>,
  format = 'General',
): string {
  const points = (values: readonly (string | number)[]) =>
    values.map((value, index) => `<c:pt idx="${index}"><c:v>${escape(String(value))}</c:v></c:pt>`).join('');
  const texts = (values: readonly string[]) => `<c:strRef><c:strCache>${points(values)}</c:strCache></c:strRef>`;
  const one = ([name, values]: [string, readonly number[]]) =>
    `<c:ser><c:tx>${texts([name])}</c:tx><c:cat>${texts(categories)}</c:cat><c:val><c:numRef><c:numCache><c:formatCode>${escape(format)}</c:formatCode>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
  return `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><c:tx><c:rich>${drawn([title])}</c:rich></c:tx></c:title><c:plotArea><c:barChart>${Object.entries(series).map(one).join('')}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
}

/** A PPTX of these slides. */
export function pptxFile(
  slides: readonly Slide[],
  { core = {}, order = slides.map((_, i) => i + 1) }: { core?: CoreProperties; order?: readonly number[] } = {},
): Buffer {
  const names = `xmlns:a="${SCHEMAS}/drawingml/2006/main" xmlns:p="${SCHEMAS}/presentationml/2006/main" xmlns:r="${OFFICE_RELATION}" xmlns:mc="mc" xmlns:a14="a14" xmlns:m="m"`;
  const tree = (shapes: string) =>
    `<p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>${shapes}</p:spTree></p:cSld>`;
  const overrides: Record<string, string> = { 'ppt/presentation.xml': 'presentationml.presentation.main' };
  const parts: Record<string, Part> = {
    'ppt/presentation.xml': `${XML}<p:presentation ${names}><p:sldIdLst>${order.map((number) => `<p:sldId id="${300 + number}" r:id="s${number}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, i) => ({ id: `s${i + 1}`, type: `${OFFICE_RELATION}/slide`, target: `slides/slide${i + 1}.xml` })),
    ),
  };
  for (const [i, slide] of slides.entries()) {
    const part = `slides/slide${i + 1}.xml`;
    parts[`ppt/${part}`] = `${XML}<p:sld ${names}${slide.isHidden ? ' show="0"' : ''}>${tree(shapesOf(slide))}</p:sld>`;
    overrides[`ppt/${part}`] = 'presentationml.slide';
    parts[`ppt/slides/_rels/slide${i + 1}.xml.rels`] = relations([
      ...Object.entries(slide.links ?? {}).map(([id, target]) => ({ id, type: `${OFFICE_RELATION}/hyperlink`, target, isExternal: true })),
      ...(slide.diagram ? [{ id: 'd1', type: `${OFFICE_RELATION}/diagramData`, target: `../diagrams/data${i + 1}.xml` }] : []),
      ...(slide.chart ? [{ id: 'c1', type: `${OFFICE_RELATION}/chart`, target: `../charts/chart${i + 1}.xml` }] : []),
      ...(slide.notes ? [{ id: 'n1', type: `${OFFICE_RELATION}/notesSlide`, target: `../notesSlides/notesSlide${i + 1}.xml` }] : []),
    ]);
    if (slide.diagram) parts[`ppt/diagrams/data${i + 1}.xml`] = `${XML}${slide.diagram}`;
    if (slide.chart) parts[`ppt/charts/chart${i + 1}.xml`] = `${XML}${slide.chart}`;
    if (slide.notes === undefined) continue;
    parts[`ppt/notesSlides/notesSlide${i + 1}.xml`] =
      `${XML}<p:notes ${names}>${tree(shape('body', drawn([slide.notes])) + shape('sldNum', drawn([String(i + 1)])))}</p:notes>`;
    overrides[`ppt/notesSlides/notesSlide${i + 1}.xml`] = 'presentationml.notesSlide';
  }
  return officeFile({ main: 'ppt/presentation.xml', overrides, core, parts });
}

export interface Sheet {
  name: string;
  /** Cells by their address: a value, or what SheetJS takes for a cell. */
  cells: Record<string, string | number | boolean | { v: number; z: string }>;
  /** Ranges of cells that are one, like `A1:B1`. */
  merges?: string[];
  /** What somebody wrote about a cell, by its address. */
  comments?: Record<string, { author: string; text: string }>;
  isHidden?: boolean;
}

/** An XLSX of these sheets. */
export async function xlsxFile(sheets: readonly Sheet[], properties: WorkBook['Props'] = {}): Promise<Buffer> {
  const { utils, write } = await import('xlsx');
  const book = utils.book_new();
  for (const { name, cells, merges = [], comments = {} } of sheets) {
    const sheet: WorkSheet = {};
    let range = { s: { r: 0, c: 0 }, e: { r: 0, c: 0 } };
    for (const [address, value] of Object.entries(cells)) {
      const { r, c } = utils.decode_cell(address);
      range = { s: range.s, e: { r: Math.max(range.e.r, r), c: Math.max(range.e.c, c) } };
      const type = typeof value === 'string' ? 's' : typeof value === 'boolean' ? 'b' : 'n';
      sheet[address] = typeof value === 'object' ? { t: 'n', ...value } : { t: type, v: value };
    }
    sheet['!ref'] = utils.encode_range(range);
    sheet['!merges'] = merges.map((merge) => utils.decode_range(merge));
    for (const [address, { author, text }] of Object.entries(comments)) utils.cell_add_comment(sheet[address] as CellObject, text, author);
    utils.book_append_sheet(book, sheet, name);
  }
  book.Props = properties;
  book.Workbook = { Sheets: sheets.map(({ name, isHidden }) => ({ name, Hidden: isHidden ? 1 : 0 })) };
  return write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer;
}

/** An Office file with further parts, or other ones. */
export async function withParts(file: Buffer, parts: Record<string, string>): Promise<Buffer> {
  const archive = await openArchive(file, { source: 'file' });
  const own = await Promise.all(archive.names.map(async (name) => [name, (await archive.text(name))!] as const));
  return zipFile({ ...Object.fromEntries(own), ...parts });
}
