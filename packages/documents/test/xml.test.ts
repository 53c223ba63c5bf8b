import { describe, expect, it } from 'vitest';
import { allText, readXml, spacedText } from '../src/xml.ts';
import { linearly } from './support/linear-time.ts';

describe('readXml', () => {
  it('gives elements, attributes and texts in their order, with offsets', () => {
    const root = readXml('\ufeff<?xml version="1.0"?>\n<!-- a --><a x="1" y=\'2\'>b<c:d/> e\r\nf</a>\n'.slice(1));
    expect(root).toMatchObject({ name: 'a', attributes: { x: '1', y: '2' }, at: 32 });
    expect(root.content).toMatchObject(['b', { name: 'c:d', content: [] }, ' e\nf']);
    expect([allText(root), spacedText(readXml('<a><b>1</b><b>2</b></a>'))]).toEqual(['b e\nf', '1 2']);
  });

  it('decodes references and CDATA, in attributes as well', () => {
    const { attributes, content } = readXml('<a b="&lt;&#65;&#x42;&amp;amp;"><![CDATA[<x> &amp; ]] ]]>&eacute;&unknown; &amp; &</a>');
    expect(attributes['b']).toBe('<AB&amp;');
    expect(content).toEqual(['<x> &amp; ]] é&unknown; & &']);
  });

  it('expands simple entities of the document type, and no others', () => {
    const type = `<!DOCTYPE a [<!-- ' ]> --><!ENTITY pump 'the ">" pump'><!ENTITY b "&pump;&pump;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`;
    expect(readXml(`${type}<a>&pump; &b; &c;</a>`).content).toEqual(['the ">" pump &b; &c;']);
    const bomb = `<!DOCTYPE a [<!ENTITY x "${'long '.repeat(100)}">]><a>${'&x;'.repeat(10_000)}</a>`;
    expect(() => readXml(bomb)).toThrow('its entities expand to too much text');
  });

  it.each([
    ['', 'line 1: it has no element'],
    ['text', 'line 1: there is text outside of the root element'],
    ['<a>\n<b></a>', 'line 2: the element b ends with </a>'],
    ['<a>\n\n<b>', 'line 3: the element b is not closed'],
    ['<a/>\n<b/>', 'line 2: there is a second root element'],
    ['<a b>', 'line 1: the tag a is broken'],
    ['<a b="1>', 'line 1: the tag a is broken'],
    ['<a><', 'line 1: this is not the name of an element'],
    ['<a><!-- b', 'line 1: --> is missing'],
    ['<a><__proto__/></a>', 'line 1: this is not the name of an element'],
    ['<!DOCTYPE a [', 'line 1: the document type does not end'],
    ['<a>'.repeat(300), 'line 1: it is nested more than 256 elements deep'],
  ])('says where invalid XML is invalid: %j', (xml, message) => {
    expect(() => readXml(xml)).toThrow(message);
  });

  it.each([
    ['elements', (size: number) => `<a>${'<b c="1">d</b>'.repeat(size)}</a>`],
    ['attributes', (size: number) => `<a ${Array.from({ length: size }, (_, i) => `b${i}="1"`).join(' ')}/>`],
    ['open quotes', (size: number) => `<a b="${'<c d='.repeat(size)}`],
    ['references', (size: number) => `<a>${'&amp;&x'.repeat(size)}</a>`],
    ['comments in a document type', (size: number) => `<!DOCTYPE a [${'<!--'.repeat(size)}`],
    ['entities', (size: number) => `<!DOCTYPE a [${'<!ENTITY a "'.repeat(size)}]><a/>`],
    ['spaces', (size: number) => `<a${' '.repeat(size)}=`],
  ])('takes linear time for many %s', async (_, xml) => {
    const outcome = await linearly(16_000, (size) => {
      try {
        return readXml(xml(size)).name;
      } catch (error) {
        return (error as Error).message.slice(0, 20);
      }
    });
    expect(outcome).not.toBe('');
  });
});
