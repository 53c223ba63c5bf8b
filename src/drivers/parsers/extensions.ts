import { extname } from 'node:path';
import { GZIP_EXTENSION, isGzipName } from './archives/gzip.ts';

/** The extension of a name, without the one that says that it is compressed. A shared library (`libz.so.1`) has none. */
export function extensionOf(path: string): string {
  const name = path.toLowerCase();
  if (/\.so(?:\.\d+)+$/.test(name)) return '';
  return extname(isGzipName(name) ? name.slice(0, -GZIP_EXTENSION.length) : name);
}
