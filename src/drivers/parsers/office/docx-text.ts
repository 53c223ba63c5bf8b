import { dirname, join } from 'node:path/posix';
import { oneLine } from '../../../text/markdown/write.ts';
import { childElementsOf, escapeXml, localName, type XmlElement } from '../ordered-xml.ts';
import type { Archive } from './archive.ts';
import { readChart } from './chart.ts';
import { numberHeadings } from './docx-numbering.ts';
import { childNamed, childrenNamed, parseXml, readPart, type Relations, relationsOf, targetsOf, textWithin } from './office-xml.ts';

/**
 * Prepares the parts of a Word document for mammoth, by name: writes numbers of headings, equations and charts, which it would leave out, into the text; removes
 * formats, on which it spends most of its time, from the text, styles and lists.
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
    return text === undefined ? undefined : parts.set(name, removeTextFormats(text.replace(STYLE_FORMATS, ''))).get(name);
  };
  const [numbering, styles] = [await readRelated('numbering'), await readRelated('styles')];
  const text = removeTextFormats(xml);
  const numbered =
    numbering && styles ? numberHeadings(text, await parseXml(numbering, 'numbering'), await parseXml(styles, 'styles')) : text;
  return parts.set(main, await writeCharts(await writeEquations(numbered, main), archive, relations));
}

/** Formats of text, and identifiers of changes; mammoth ignores them. */
const TEXT_FORMATS =
  /<w:(?:lang|rFonts|sz|szCs|bCs|iCs|color|spacing|noProof|kern|shd|ind|proofErr|lastRenderedPageBreak)(?:\s[^<>]{0,400})?\/>| w:rsid[A-Za-z]{0,9}="[^"<>]{0,20}"/g;
/** Formats of styles and lists, which contain only elements. */
const STYLE_FORMATS =
  /<w:(latentStyles|tblStylePr|rPr|tblPr|trPr|tcPr)(?:\s[^<>]{0,400}[^<>/])?>(?:\s{0,100}<(?!\/?w:\1[\s/>])[^<>]{0,1000}>){0,2000}\s{0,100}<\/w:\1>/g;

const removeTextFormats = (xml: string): string => xml.replace(TEXT_FORMATS, '');

async function writeEquations(xml: string, name: string): Promise<string> {
  const inline = xml.replace(/<\/?m:oMathPara(?:\s[^<>]{0,400})?>/g, ''); // mammoth ignores its content
  return replaceElements(inline, 'm:oMath', async (equation) => {
    const text = equationText(await parseXml(equation, name));
    return text === '' ? '' : run(`$${text}$`);
  });
}

/** Writes each chart as its title and a table behind its paragraph; where no table may stand, only the title. */
async function writeCharts(xml: string, archive: Archive, relations: Relations): Promise<string> {
  if (!xml.includes('<c:chart')) return xml;
  return replaceElements(xml, 'w:drawing', async (drawing, { before, after }) => {
    const id = /<c:chart\s[^<>]{0,400}r:id="([^"<>]{0,100})"/.exec(drawing)?.[1];
    const relation = relations.get(id ?? '');
    const part = relation?.type === 'chart' ? await readPart(archive, relation.target) : undefined;
    if (!part) return drawing;
    const { title, rows } = await readChart(part);
    const table = `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;
    if (!standsAlone(before, after)) return title === '' ? drawing : textOf(`Chart: ${title}`);
    return `${textOf(title)}</w:r></w:p>${rows.length > 0 ? table : ''}<w:p><w:r>`;
  });
}

/** Whether a drawing is the only content of its run, and the run stands directly in a paragraph. */
function standsAlone(before: string, after: string): boolean {
  if (!after.startsWith('</w:r>') || !/(?:<w:r(?:\s[^<>]{0,400})?>|<\/w:rPr>)$/.test(before)) return false;
  const start = Math.max(before.lastIndexOf('<w:p>'), before.lastIndexOf('<w:p '));
  return start >= 0 && !/<w:(?:hyperlink|ins|del|sdt|smartTag|fldSimple)[\s>]/.test(before.slice(start));
}

/** Characters before and behind an element that show where it stands. */
const AROUND = 4000;

/** Replaces each element of this name, which must not be nested. */
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

const textOf = (text: string): string => `<w:t xml:space="preserve">${escapeXml(text)}</w:t>`;

const run = (text: string): string => `<w:r>${textOf(text)}</w:r>`;

const paragraph = (text: string): string => `<w:p>${run(text)}</w:p>`;

/** Writes an equation (OMML, ECMA-376 part 1, 22.1) in LaTeX notation, with its letters and signs unchanged: `x=\frac{a}{2}`. */
const equationText = (equation: XmlElement): string => oneLine(childElementsOf(equation).map(termText).join(''));

const enclose = (text: string, open: string, close: string): string => (text === '' ? '' : open + text + close);

/** The default sign of an n-ary operator (22.1.2.20). */
const INTEGRAL = '∫';

function termText(term: XmlElement): string {
  const name = localName(term);
  const parts = (of: string): string[] => childrenNamed(term, of).map(equationText);
  const part = (of: string): string => childrenNamed(term, of).slice(0, 1).map(equationText).join('');
  const property = (of: string, fallback: string): string => {
    const value = childNamed(childNamed(term, `${name}Pr`), of);
    return value ? (Object.entries(value.attributes).find(([key]) => key.endsWith(':val'))?.[1] ?? '') : fallback;
  };
  const script = (mark: string, of: string): string => enclose(part(of), `${mark}{`, '}');
  switch (name) {
    case 'r':
      return textWithin(term, 't');
    case 'f':
      return `\\frac{${part('num')}}{${part('den')}}`;
    case 'rad':
      return `\\sqrt${enclose(part('deg'), '[', ']')}{${part('e')}}`;
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return `${part('e')}${script('_', 'sub')}${script('^', 'sup')}`;
    case 'sPre':
      return `${script('_', 'sub')}${script('^', 'sup')}${part('e')}`;
    case 'nary':
      return `${property('chr', INTEGRAL)}${script('_', 'sub')}${script('^', 'sup')}${part('e')}`;
    case 'limLow':
      return `${part('e')}${script('_', 'lim')}`;
    case 'limUpp':
      return `${part('e')}${script('^', 'lim')}`;
    case 'func':
      return `${part('fName')} ${part('e')}`;
    case 'd':
      return `${property('begChr', '(')}${parts('e').join(property('sepChr', '|'))}${property('endChr', ')')}`;
    case 'm':
      return childrenNamed(term, 'mr')
        .map((row) => childrenNamed(row, 'e').map(equationText).join(' & '))
        .join(' \\\\ ');
    case 'eqArr':
      return parts('e').join(' \\\\ ');
    default:
      return name.endsWith('Pr') ? '' : equationText(term);
  }
}
