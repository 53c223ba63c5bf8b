import type XLSX from 'xlsx';
import { createDecoder, decodeText, holdsStream, isCompound } from '../bytes.ts';
import type { ParsedFile, ParserRow } from '../parser-row.ts';
import { mailDocument } from './mail.ts';

/** The stream of the properties of fixed length (MS-OXMSG, 2.4), and the bytes before its first property in a message. */
const PROPERTIES = '__properties_version1.0';
const HEADER_BYTES = 32;
const PROPERTY_BYTES = 16;
/** Of a property: when a mail was sent, when it arrived, as a FILETIME. */
const TIMES = [0x00390040, 0x0e060040];
/** Of a property: the code page of text that is not Unicode, in the mail and in its HTML. */
const CODE_PAGES = [0x3ffd0003, 0x3fde0003];
/** In an attachment: the folder of a mail that is attached whole. Its properties begin eight bytes earlier. */
const ATTACHED_MAIL = '__substg1.0_3701000D/';
const SHORT_HEADER = 24;
/** What says that text is Unicode, and so says nothing of text that is not. */
const UTF_16 = 1200;
/** 100 ns from 1601 to 1970. */
const EPOCH = 116_444_736_000_000_000n;

interface Stream {
  content: ArrayLike<number>;
  size: number;
}

/** A mail of Outlook (MS-OXMSG). */
export const msgParser: ParserRow = {
  file_type: 'msg',
  name: 'a mail of Outlook (MSG)',
  extensions: ['.msg'],
  media_types: ['application/vnd.ms-outlook'],
  recognizes: (bytes) => isCompound(bytes) && holdsStream(bytes, PROPERTIES),
  async parse(bytes): Promise<ParsedFile> {
    const { CFB } = await import('xlsx');
    const file = CFB.read(Buffer.from(bytes), { type: 'buffer' }) as { FullPaths: string[]; FileIndex: Stream[] };
    const root = file.FullPaths[0] ?? '';
    const streams = new Map(file.FullPaths.map((path, i) => [path.slice(root.length), file.FileIndex[i]!]));
    const bytesAt = (path: string): Buffer | undefined => {
      const stream = streams.get(path);
      return stream?.content ? Buffer.from(stream.content as Uint8Array).subarray(0, stream.size) : undefined;
    };
    const [codepage] = CODE_PAGES.flatMap((tag) => propertyOf(bytesAt(PROPERTIES), tag)?.readUInt32LE() ?? []);
    const decode = async (narrow: Buffer): Promise<string> =>
      codepage === undefined || codepage === UTF_16
        ? await decodeText(narrow)
        : createDecoder(codepage).decode(narrow).replaceAll('\0', '');
    const textAt = async (tag: string, folder = ''): Promise<string> => {
      const wide = bytesAt(`${folder}__substg1.0_${tag}001F`);
      if (wide) return wide.toString('utf16le').replaceAll('\0', '');
      const narrow = bytesAt(`${folder}__substg1.0_${tag}001E`);
      if (narrow?.length) return decode(narrow);
      const binary = bytesAt(`${folder}__substg1.0_${tag}0102`);
      return binary?.length ? await decodeText(binary) : '';
    };
    const folders = [...streams.keys()].filter((path) => /^__attach_version1\.0_#[\dA-F]{8}\/$/i.test(path));
    const attachments = await Promise.all(
      folders.map(async (folder) => {
        const name = (await textAt('3707', folder)) || (await textAt('3704', folder)) || (await textAt('3001', folder));
        const inner = attachedMail(streams, `${folder}${ATTACHED_MAIL}`, CFB);
        return { name: inner ? `${name || 'mail'}.msg` : name, content: inner ?? bytesAt(`${folder}__substg1.0_37010102`) };
      }),
    );
    const [name, address] = [await textAt('0C1A'), (await textAt('5D01')) || (await textAt('0C1F'))];
    const date = dateIn(bytesAt(PROPERTIES));
    const mail = {
      subject: await textAt('0037'),
      from: name && address.includes('@') && name !== address ? `${name} <${address}>` : name || address,
      to: await textAt('0E04'),
      cc: await textAt('0E03'),
      date: date?.toISOString() ?? '',
      shown_date: date?.toUTCString() ?? '',
      message_id: await textAt('1035'),
      in_reply_to: await textAt('1042'),
      references: await textAt('1039'),
      text: await textAt('1000'),
      html: await textAt('1013'),
      attachments: attachments.flatMap(({ name: file_name, content }) => (content ? [{ name: file_name, content }] : [])),
    };
    return mailDocument(mail);
  },
};

/** The value of a property of fixed length. */
function propertyOf(properties: Buffer | undefined, tag: number): Buffer | undefined {
  for (let at = HEADER_BYTES; properties && at + PROPERTY_BYTES <= properties.length; at += PROPERTY_BYTES)
    if (properties.readUInt32LE(at) === tag) return properties.subarray(at + 8, at + PROPERTY_BYTES);
  return undefined;
}

/** When a mail was sent; undefined where it does not say. */
function dateIn(properties: Buffer | undefined): Date | undefined {
  for (const tag of TIMES) {
    const value = propertyOf(properties, tag);
    if (!value) continue;
    const date = new Date(Number((value.readBigUInt64LE() - EPOCH) / 10_000n));
    if (!Number.isNaN(date.getTime())) return date;
  }
  return undefined;
}

/** A mail that is attached as a folder of another, as a file of its own; undefined where there is none. */
function attachedMail(streams: ReadonlyMap<string, Stream>, folder: string, CFB: typeof XLSX.CFB): Buffer | undefined {
  const own = [...streams].filter(([path, { content }]) => path.startsWith(folder) && !path.endsWith('/') && content);
  if (own.length === 0) return undefined;
  const file = CFB.utils.cfb_new();
  for (const [path, { content, size }] of own) {
    const name = path.slice(folder.length);
    const bytes = Buffer.from(content as Uint8Array).subarray(0, size);
    const gap = Buffer.alloc(HEADER_BYTES - SHORT_HEADER);
    CFB.utils.cfb_add(
      file,
      `/${name}`,
      name === PROPERTIES ? Buffer.concat([bytes.subarray(0, SHORT_HEADER), gap, bytes.subarray(SHORT_HEADER)]) : bytes,
    );
  }
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}
