import { readChart } from './chart.ts';
import type { Archive } from './archive.ts';
import { numberHeadings } from './docx-numbering.ts';
import { equationText } from './equation.ts';
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
  const inline = xml.replace(/<\/?m:oMathPara(?:\s[^>]*)?>|<m:oMathParaPr>.*?<\/m:oMathParaPr>/gs, ''); // mammoth passes over what they hold
  return replaceAsync(inline, /<m:oMath(?:\s[^>]*)?>.*?<\/m:oMath>/gs, async ([equation]) => {
    const text = equationText(await parseXml(equation, DOCUMENT));
    return text === '' ? '' : run(`$${text}$`);
  });
}

/** A chart stands as its title and a table behind the paragraph that holds it; in a place where no table may stand, as its title. */
async function writeCharts(xml: string, archive: Archive): Promise<string> {
  if (!xml.includes('<c:chart')) return xml;
  const relations = await relationsOf(archive, DOCUMENT);
  return replaceAsync(xml, CHART, async ([whole, before = '', id = '', after = '']) => {
    const part = await partOf(archive, relations.get(id));
    if (!part) return whole;
    const { title, rows } = await readChart(part);
    const table = `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;
    const isInParagraph = before !== '' && after !== '';
    if (!isInParagraph) return title === '' ? whole : `${before}${textOf(`Chart: ${title}`)}${after}`;
    return `${before}${textOf(title)}</w:r></w:p>${rows.length > 0 ? table : ''}<w:p><w:r>${after}`;
  });
}

/** A drawing with a chart; the start of its run before it and the end of that run behind it, where it is all that the run holds. */
const CHART =
  /(<w:p(?:\s[^>]*)?>(?:<w:pPr>(?:(?!<\/w:pPr>).){0,8000}<\/w:pPr>)?<w:r(?:\s[^>]*)?>(?:<w:rPr>(?:(?!<\/w:rPr>).){0,8000}<\/w:rPr>)?)?<w:drawing>(?:(?!<\/w:drawing>).){0,8000}?<c:chart [^>]*r:id="([^"]*)"(?:(?!<\/w:drawing>).){0,8000}<\/w:drawing>(<\/w:r>)?/gs;

const partOf = async (archive: Archive, relation: Relation | undefined) =>
  relation?.type === 'chart' ? readPart(archive, relation.target) : undefined;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const textOf = (text: string): string => `<w:t xml:space="preserve">${escaped(text)}</w:t>`;

const run = (text: string): string => `<w:r>${textOf(text)}</w:r>`;

const paragraph = (text: string): string => `<w:p>${run(text)}</w:p>`;

async function replaceAsync(text: string, pattern: RegExp, replacement: (match: RegExpMatchArray) => Promise<string>): Promise<string> {
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    pieces.push(text.slice(from, match.index), await replacement(match));
    from = match.index + match[0].length;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(from)].join('');
}
