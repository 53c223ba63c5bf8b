import type { Archive } from './archive.ts';
import { childNamed, childrenNamed, type Element, readPart, textWithin } from './office-xml.ts';
import { oneLine } from '../../../text/markdown/write.ts';

/** Where PowerPoint keeps who has commented: until 2021, and since. */
const AUTHORS = ['ppt/commentAuthors.xml', 'ppt/authors.xml'];

/** What people have written about a slide, and what others have answered, as quotations in Markdown. `part` holds the comments of one slide. */
export async function slideComments(archive: Archive, part: string): Promise<string[]> {
  const comments = await readPart(archive, part);
  if (!comments) return [];
  const authors = await authorsOf(archive);
  return childrenNamed(comments, 'cm')
    .flatMap((comment) => [comment, ...(childNamed(comment, 'replyLst')?.children ?? [])])
    .flatMap((comment) => {
      const text = textOf(comment);
      const author = authors.get(comment.attributes['authorId'] ?? '');
      return text === '' ? [] : `> Comment${author ? ` (${oneLine(author)})` : ''}: ${text}`;
    });
}

function textOf(comment: Element): string {
  const body = childNamed(comment, 'txBody');
  return oneLine(
    childNamed(comment, 'text')?.text ??
      (body
        ? childrenNamed(body, 'p')
            .map((line) => textWithin(line, 't'))
            .join(' ')
        : ''),
  );
}

async function authorsOf(archive: Archive): Promise<Map<string, string>> {
  const lists = await Promise.all(AUTHORS.map((part) => readPart(archive, part)));
  return new Map(lists.flatMap((list) => (list?.children ?? []).map(({ attributes: { id = '', name = '' } }) => [id, name] as const)));
}
