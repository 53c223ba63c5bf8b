import type { Parser } from '../../ports/reading.ts';
import { parseHtml } from './dom.ts';
import { makeAbsolute, resolverOf } from './html/addresses.ts';
import { removeUnseen } from './html/clean.ts';
import { writeIcons } from './html/icons.ts';
import { toMarkdown } from './html/markdown.ts';
import { replaceStandIns } from './html/stand-ins.ts';
import { rewriteWidgets } from './html/widgets.ts';

/** HTML in UTF-8 that stood in a field of a record: all of it is content, so that nothing is chosen from it. No file has this kind. */
export const htmlFragmentParser: Parser = {
  file_type: 'html-fragment',
  extensions: [],
  async parse(bytes, { source }) {
    const html = new TextDecoder().decode(bytes);
    const page = await parseHtml(html);
    replaceStandIns(page, html);
    rewriteWidgets(page, html);
    writeIcons(page.body, html);
    removeUnseen(page.body, page.body);
    const resolve = resolverOf([], source);
    if (resolve) makeAbsolute(page.body, resolve);
    return { text: (await toMarkdown(page.body)).text, metadata: {} };
  },
};
