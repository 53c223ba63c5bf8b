import { decodeText } from '../encoding.ts';
import type { ParsedFile, ParserRow } from '../parser-row.ts';
import { holdsStream, isCompound } from '../signatures.ts';
import { mailDocument } from './mail-document.ts';

/** The stream of the properties of fixed length (MS-OXMSG, 2.4), and the bytes before its first property in a message. */
const PROPERTIES = '__properties_version1.0';
const HEADER_BYTES = 32;
const PROPERTY_BYTES = 16;
/** Of a property: when a mail was sent, when it arrived, as a FILETIME. */
const TIMES = [0x00390040, 0x0e060040];
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
    const textAt = async (tag: string, folder = ''): Promise<string> => {
      const wide = bytesAt(`${folder}__substg1.0_${tag}001F`);
      if (wide) return wide.toString('utf16le').replaceAll('\0', '');
      const narrow = bytesAt(`${folder}__substg1.0_${tag}001E`) ?? bytesAt(`${folder}__substg1.0_${tag}0102`);
      return narrow?.length ? await decodeText(narrow) : '';
    };
    const folders = [...streams.keys()].filter((path) => /^__attach_version1\.0_#[\dA-F]{8}\/$/i.test(path));
    const attachments = await Promise.all(
      folders.map(async (folder) => ({
        name: (await textAt('3707', folder)) || (await textAt('3704', folder)) || (await textAt('3001', folder)),
        content: bytesAt(`${folder}__substg1.0_37010102`),
      })),
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

/** When a mail was sent, where it says so. */
function dateIn(properties: Buffer | undefined): Date | undefined {
  for (const tag of TIMES)
    for (let at = HEADER_BYTES; properties && at + PROPERTY_BYTES <= properties.length; at += PROPERTY_BYTES) {
      if (properties.readUInt32LE(at) !== tag) continue;
      const date = new Date(Number((properties.readBigUInt64LE(at + 8) - EPOCH) / 10_000n));
      if (!Number.isNaN(date.getTime())) return date;
    }
  return undefined;
}
