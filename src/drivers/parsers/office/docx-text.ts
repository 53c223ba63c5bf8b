import { readChart } from './chart.ts';
import type { Archive } from './archive.ts';
import { numberHeadings } from './docx-numbering.ts';
import { equationText } from './equation.ts';
import { escapeXml } from '../ordered-xml.ts';
import { parseXml, readPart, type Relation, relationsOf } from './office-xml.ts';

/** The part that holds the text. */
export const DOCUMENT = 'word/document.xml';

/** The text of a Word document (`word/document.xml`) with what mammoth would leave out written into it as text: numbers of headings, equations, charts. */
export async function completeDocument(archive: Archive): Promise<string | undefined> {
  const xml = await archive.text(DOCUMENT);
  if (xml === undefined) return undefined;
  const [numbering, styles] = [await readPart(archive, 'word/numbering.xml'), await readPart(archive, 'word/styles.xml')];
  return writeCharts(await writeEquations(numberHeadings(xml, numbering, styles)), archive);
}

async function writeEquations(xml: string): Promise<string> {
  const inline = xml.replace(/<\/?m:oMathPara(?:\s[^<>]{0,400})?>/g, ''); // mammoth passes over what it holds
  return replaceElements(inline, 'm:oMath', async (equation) => {
    const text = equationText(await parseXml(equation, DOCUMENT));
    return text === '' ? '' : run(`$${text}$`);
  });
}

/** A chart stands as its title and a table behind the paragraph that holds it; in a place where no table may stand, as its title. */
async function writeCharts(xml: string, archive: Archive): Promise<string> {
  if (!xml.includes('<c:chart')) return xml;
  const relations = await relationsOf(archive, DOCUMENT);
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
