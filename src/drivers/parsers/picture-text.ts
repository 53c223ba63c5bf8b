import { oneLine } from '../../text/markdown/write.ts';

/** The name of a file, which programs write where nobody described a picture. */
const FILE_NAME = /^\S+\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)$/i;
/** What Office writes about a picture by itself. */
const UNWRITTEN = /AI-generated content|automatically generated|automatisch generiert/i;

/** The alternative text of a picture as it stands in Markdown; empty where it is the name of its file. */
export function altText(description: string | null | undefined): string {
  const text = oneLine((description ?? '').replace(/[[\]]/g, ' '));
  return FILE_NAME.test(text) ? '' : text;
}

/** The alternative text of a picture of Office that somebody has written; empty where nobody has. */
export function pictureText(description: string | undefined): string {
  const text = altText(description);
  return UNWRITTEN.test(text) ? '' : text;
}
