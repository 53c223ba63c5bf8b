import type { DomElement, DomNode } from '../dom.ts';

/** A number as it stands above or below another: of a power, a unit, an index. */
const NUMBER = /^[+\-−–]?\d+(?:[.,/]\d+)?$/;
/** A formula, such as `n+1`; two letters are the end of an ordinal, or a mark. */
const FORMULA = /^(?=.*[\d+\-−–*/=])[\p{L}\d\s+\-−–*/=().,]{2,20}$/u;
/** A variable. The other letters make ordinals of numbers: 1er, 2e, 3a, 4o. */
const VARIABLE = /^(?![aeo])\p{L}$/iu;

/** Writes `10<sup>6</sup>` as `10^6` and the like, so that no other number comes of it. Ordinals, marks and the signs of notes stay as they are. */
export function writeScripts(root: DomElement): void {
  for (const element of root.querySelectorAll('sup, sub')) {
    const said = (element.textContent ?? '').trim();
    const before = lastOf(element.previousSibling);
    if (before === '' || element.querySelector('a') || element.closest('a')) continue;
    const sign = element.nodeName === 'SUP' ? '^' : '_';
    if (sign === '_' && !/[\d\p{S}]/u.test(before)) continue; // H2O
    if (!/[\p{L}\p{N}\p{S})\]]/u.test(before)) continue;
    if (NUMBER.test(said) || VARIABLE.test(said)) element.textContent = sign + said;
    else if (FORMULA.test(said)) element.textContent = `${sign}(${said})`;
  }
}

/** The letter that an element follows directly, or nothing. */
const lastOf = (node: DomNode | null): string => /\S$/u.exec(node?.textContent ?? '')?.[0] ?? '';
