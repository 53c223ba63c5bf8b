import { oneLine } from '../../../text/markdown/write.ts';

/** What Office writes where nobody described a picture: the name of its file, or what a program takes it for. */
const UNWRITTEN = /^\S+\.(?:bmp|emf|gif|jpe?g|png|svg|tiff?|webp|wmf)$|AI-generated content|automatically generated|automatisch generiert/i;

/** The alternative text of a picture that somebody has written; empty where nobody has. */
export function pictureText(description: string | undefined): string {
  const text = oneLine((description ?? '').replace(/[[\]]/g, ' '));
  return UNWRITTEN.test(text) ? '' : text;
}
