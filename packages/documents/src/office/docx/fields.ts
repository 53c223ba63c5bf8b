import { childNamed, findElement, type XmlElement } from '../../xml.ts';
import { isOn } from '../xml.ts';

/** A field whose text is a link (ECMA-376 part 1, 17.16.5.25): `HYPERLINK "https://x.example/" \l "part" \o "tip"`. */
const LINK = /^\s*HYPERLINK\b/i;
/** A quoted argument, a switch, or an argument without quotes. */
const ARGUMENT = /"((?:[^"\\]|\\.)*)"|\\([a-z])|([^\s"\\]\S*)/gi;
/** Switches with an argument of their own. */
const WITH_ARGUMENT = /^[lot]$/i;

/** Reads the address of a link from the code of a field; undefined for another field, and for a place in the same document. */
export function linkOf(code: string): string | undefined {
  if (!LINK.test(code)) return undefined;
  let [address, anchor, open]: [string | undefined, string, string] = [undefined, '', ''];
  for (const [, quoted, name, plain] of code.replace(LINK, '').matchAll(ARGUMENT)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) open = WITH_ARGUMENT.test(name!) ? name!.toLowerCase() : '';
    else if (open === '') address ??= value;
    else {
      if (open === 'l') anchor = value;
      open = '';
    }
  }
  return address && address + (anchor && `#${anchor}`);
}

/** The fields that are open at a place of the text: the link of the innermost is that of the text. */
export class Fields {
  readonly #open: { code: string; box: string; href: string | undefined }[] = [];

  /** Reads a mark of a field; returns the check box that ends with it, if one does. */
  mark(element: XmlElement): string {
    const last = this.#open.at(-1);
    switch (element.attributes['w:fldCharType']) {
      case 'begin':
        this.#open.push({ code: '', box: checkBox(findElement(element, 'checkBox')), href: this.href });
        return '';
      case 'separate':
        if (last) last.href = linkOf(last.code) ?? last.href;
        return '';
      default:
        this.#open.pop();
        return last && /^\s*FORMCHECKBOX\b/i.test(last.code) ? last.box : '';
    }
  }

  /** Adds a part of the code of the innermost field. */
  add(code: string): void {
    const last = this.#open.at(-1);
    if (last) last.code += code;
  }

  get href(): string | undefined {
    return this.#open.at(-1)?.href;
  }
}

function checkBox(element: XmlElement | undefined): string {
  const state = childNamed(element, 'checked') ?? childNamed(element, 'default');
  return element ? writeCheckBox(state) : '';
}

/** Writes a check box by the element with its state. */
export const writeCheckBox = (state: XmlElement | undefined): string => (isOn(state) ? '[x] ' : '[ ] ');
