import { childNamed, childrenNamed, type Element, textWithin } from './office-xml.ts';

/** An equation (OMML, ECMA-376 part 1, 22.1) in the notation of LaTeX, with its letters and signs as they stand: `x=\frac{a}{2}`. */
export const equationText = (equation: Element): string => equation.children.map(termText).join('').replace(/\s+/g, ' ').trim();

/** Operators over a range whose sign is not written in the file: an integral (22.1.2.20). */
const INTEGRAL = '∫';

function termText(term: Element): string {
  const part = (name: string): string => {
    const child = childNamed(term, name);
    return child ? equationText(child) : '';
  };
  const property = (name: string, fallback: string): string => {
    const properties = childNamed(term, `${term.name}Pr`);
    const value = properties && childNamed(properties, name);
    return value ? (Object.entries(value.attributes).find(([key]) => key.endsWith(':val'))?.[1] ?? '') : fallback;
  };
  const script = (mark: string, name: string): string => (part(name) === '' ? '' : `${mark}{${part(name)}}`);
  switch (term.name) {
    case 'r':
      return textWithin(term, 't');
    case 'f':
      return `\\frac{${part('num')}}{${part('den')}}`;
    case 'rad':
      return `\\sqrt${part('deg') === '' ? '' : `[${part('deg')}]`}{${part('e')}}`;
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
      return `${property('begChr', '(')}${childrenNamed(term, 'e').map(equationText).join(property('sepChr', '|'))}${property('endChr', ')')}`;
    case 'm':
      return childrenNamed(term, 'mr')
        .map((row) => childrenNamed(row, 'e').map(equationText).join(' & '))
        .join(' \\\\ ');
    case 'eqArr':
      return childrenNamed(term, 'e').map(equationText).join(' \\\\ ');
    default:
      return term.name.endsWith('Pr') ? '' : equationText(term);
  }
}
