// Types of packages that bring none: as much of them as is used here.

declare module 'turndown' {
  import type { DomElement } from './html/dom.ts';
  interface Rule {
    filter: string | string[] | ((node: DomElement) => boolean);
    replacement: (content: string, node: DomElement) => string;
  }
  export default class TurndownService {
    constructor(options: Record<string, string>);
    escape: (text: string) => string;
    addRule(name: string, rule: Rule): this;
    turndown(root: DomElement): string;
  }
}

declare module 'papaparse' {
  const papa: {
    parse(
      text: string,
      options: { delimiter?: string; newline?: string; quoteChar?: string; preview?: number; skipEmptyLines?: 'greedy' },
    ): { data: string[][]; errors: { code: string; index?: number }[] };
  };
  export default papa;
}

declare module 'yauzl' {
  export interface Entry {
    /** Bytes, because names are not decoded. */
    fileName: Buffer;
    compressedSize: number;
    uncompressedSize: number;
    compressionMethod: number;
    generalPurposeBitFlag: number;
    extraFields: { id: number; data: Buffer }[];
  }
  export interface ZipFile {
    entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<AsyncIterable<Buffer>>;
    readLocalFileHeaderPromise(entry: Entry, options: { minimal: true }): Promise<{ fileDataStart: number }>;
  }
  const yauzl: {
    fromBufferPromise(bytes: Buffer, options: { lazyEntries: true; decodeStrings: false }): Promise<ZipFile>;
    /** The name of a part, with slashes: as its extra fields say, else in UTF-8 or in code page 437 by the flags. */
    getFileNameLowLevel(flags: number, name: Buffer, extraFields: Entry['extraFields'], isStrict: false): string;
  };
  export default yauzl;
}
