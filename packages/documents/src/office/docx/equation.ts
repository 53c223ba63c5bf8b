import { oneLine } from '../../markdown/write.ts';
import { childElementsOf, childNamed, childrenNamed, localName, textWithin, type XmlElement } from '../../xml.ts';
import { valueOf } from '../xml.ts';

/** Writes an equation (OMML, ECMA-376 part 1, 22.1) in LaTeX notation, with its letters and signs unchanged: `x=\frac{a}{2}`. */
export const equationText = (equation: XmlElement): string => oneLine(childElementsOf(equation).map(termText).join(''));

const enclose = (text: string, open: string, close: string): string => (text === '' ? '' : open + text + close);

/** The default sign of an n-ary operator (22.1.2.20). */
const INTEGRAL = '∫';

function termText(term: XmlElement): string {
  const name = localName(term);
  const parts = (of: string): string[] => childrenNamed(term, of).map(equationText);
  const part = (of: string): string => childrenNamed(term, of).slice(0, 1).map(equationText).join('');
  const property = (of: string, fallback: string): string => {
    const value = childNamed(childNamed(term, `${name}Pr`), of);
    return value ? (valueOf(value) ?? '') : fallback;
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
