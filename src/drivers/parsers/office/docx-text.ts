import { dirname, join } from 'node:path/posix';
import { readChart } from './chart.ts';
import type { Archive } from './archive.ts';
import { numberHeadings } from './docx-numbering.ts';
import { equationText } from './equation.ts';
import { escapeXml } from '../ordered-xml.ts';
import { parseXml, readPart, type Relation, relationsOf, targetsOf } from './office-xml.ts';

/**
 * The parts of a Word document that mammoth is to read otherwise than they stand in the archive, by name: the text with what it would leave out written into
 * it (numbers of headings, equations, charts), styles and lists without what is only looked at, which it spends most of its time on.
 */
export async function completeParts(archive: Archive): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  const [main = 'word/document.xml'] = targetsOf(await relationsOf(archive), 'officeDocument');
  const xml = await archive.text(main);
  if (xml === undefined) return parts;
  const relations = await relationsOf(archive, main);
  const readRelated = async (type: string): Promise<string | undefined> => {
    const name = targetsOf(relations, type)[0] ?? join(dirname(main), `${type}.xml`);
    const text = await archive.text(name);
    return text === undefined ? undefined : parts.set(name, withoutFormats(text)).get(name);
  };
  const [numbering, styles] = [await readRelated('numbering'), await readRelated('styles')];
  const text = withoutLook(xml);
  const numbered =
    numbering && styles ? numberHeadings(text, await parseXml(numbering, 'numbering'), await parseXml(styles, 'styles')) : text;
  return parts.set(main, await writeCharts(await writeEquations(numbered, main), { archive, relations }));
}

/** Properties of text that are only looked at, and who changed what when; mammoth makes nothing of them. */
const LOOK =
  /<w:(?:lang|rFonts|sz|szCs|bCs|iCs|color|spacing|noProof|kern|shd|ind|proofErr|lastRenderedPageBreak)(?:\s[^<>]{0,400})?\/>| w:rsid[A-Za-z]{0,9}="[^"<>]{0,20}"/g;
/** The same as elements of styles and lists, which hold elements alone. */
const FORMATS =
  /<w:(latentStyles|tblStylePr|rPr|tblPr|trPr|tcPr)(?:\s[^<>]{0,400}[^<>/])?>(?:\s{0,100}<(?!\/?w:\1[\s/>])[^<>]{0,1000}>){0,2000}\s{0,100}<\/w:\1>/g;

const withoutLook = (xml: string): string => xml.replace(LOOK, '');

const withoutFormats = (xml: string): string => withoutLook(xml.replace(FORMATS, ''));

async function writeEquations(xml: string, name: string): Promise<string> {
  const inline = xml.replace(/<\/?m:oMathPara(?:\s[^<>]{0,400})?>/g, ''); // mammoth passes over what it holds
  return replaceElements(inline, 'm:oMath', async (equation) => {
    const text = equationText(await parseXml(equation, name));
    return text === '' ? '' : run(`$${text}$`);
  });
}

/** A chart stands as its title and a table behind the paragraph that holds it; in a place where no table may stand, as its title. */
async function writeCharts(
  xml: string,
  { archive, relations }: { archive: Archive; relations: ReadonlyMap<string, Relation> },
): Promise<string> {
  if (!xml.includes('<c:chart')) return xml;
  return replaceElements(xml, 'w:drawing', async (drawing, { before, after }) => {
    const id = /<c:chart\s[^<>]{0,400}r:id="([^"<>]{0,100})"/.exec(drawing)?.[1];
    const part = id === undefined ? undefined : await partOf(archive, relations.get(id));
    if (!part) return drawing;
    const { title, rows } = await readChart(part);
    const table = `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;
    if (!standsAlone(before, after)) return title === '' ? drawing : textOf(`Chart: ${title}`);
    return `${textOf(title)}</w:r></w:p>${rows.length > 0 ? table : ''}<w:p><w:r>`;
  });
}

/** Whether a drawing is all that its run holds, and the run stands in a paragraph and in nothing else. */
function standsAlone(before: string, after: string): boolean {
  if (!after.startsWith('</w:r>') || !/(?:<w:r(?:\s[^<>]{0,400})?>|<\/w:rPr>)$/.test(before)) return false;
  const start = Math.max(before.lastIndexOf('<w:p>'), before.lastIndexOf('<w:p '));
  return start >= 0 && !/<w:(?:hyperlink|ins|del|sdt|smartTag|fldSimple)[\s>]/.test(before.slice(start));
}

/** Characters before and behind an element that tell where it stands. */
const AROUND = 4000;

/** The text with each element of this name, which does not hold others of its name, as `replacement` has it. */
async function replaceElements(
  text: string,
  name: string,
  replacement: (element: string, around: { before: string; after: string }) => Promise<string>,
): Promise<string> {
  const [opening, closing] = [`<${name}`, `</${name}>`];
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, Math.max(from, at + 1))) {
    if (!/[\s>]/.test(text.charAt(at + opening.length))) continue;
    const close = text.indexOf(closing, at);
    if (close < 0) break;
    const end = close + closing.length;
    const around = { before: text.slice(Math.max(from, at - AROUND), at), after: text.slice(end, end + AROUND) };
    pieces.push(text.slice(from, at), await replacement(text.slice(at, end), around));
    from = end;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(from)].join('');
}

const partOf = async (archive: Archive, relation: Relation | undefined) =>
  relation?.type === 'chart' ? readPart(archive, relation.target) : undefined;

const textOf = (text: string): string => `<w:t xml:space="preserve">${escapeXml(text)}</w:t>`;

const run = (text: string): string => `<w:r>${textOf(text)}</w:r>`;

const paragraph = (text: string): string => `<w:p>${run(text)}</w:p>`;
