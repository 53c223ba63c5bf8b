import { createHash } from 'node:crypto';

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const ID = Buffer.alloc(16, 0x11);
const PERMISSIONS = -44;

const md5 = (...parts: Uint8Array[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest();
const padded = (password: string): Buffer => Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 255;
    [state[i], state[j]] = [state[j]!, state[i]!];
  }
  let [i, j] = [0, 0];
  return Buffer.from(data).map((byte) => {
    i = (i + 1) & 255;
    j = (j + state[i]!) & 255;
    [state[i], state[j]] = [state[j]!, state[i]!];
    return byte ^ state[(state[i]! + state[j]!) & 255]!;
  }) as Buffer;
}

/** A PDF of one page with a text, encrypted with 40 bits (ISO 32000-1, 7.6): opened by `user`, which may be empty, or `owner`. */
export function lockedPdf(text: string, { user, owner }: { user: string; owner: string }): Buffer {
  const ownerEntry = rc4(md5(padded(owner)).subarray(0, 5), padded(user));
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const key = md5(padded(user), ownerEntry, permissions, ID).subarray(0, 5);
  const content = rc4(md5(key, Buffer.from([5, 0, 0, 0, 0])).subarray(0, 10), Buffer.from(`BT /F1 12 Tf 72 700 Td (${text}) Tj ET`));
  const hex = (bytes: Uint8Array) => `<${Buffer.from(bytes).toString('hex')}>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content.toString('latin1')}\nendstream`,
    `<< /Filter /Standard /V 1 /R 2 /P ${PERMISSIONS} /O ${hex(ownerEntry)} /U ${hex(rc4(key, PADDING))} >>`,
  ];
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Encrypt 6 0 R /ID [${hex(ID)} ${hex(ID)}] >>\n%%EOF\n`, 'latin1');
}
