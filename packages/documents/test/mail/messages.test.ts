import { describe, expect, it } from 'vitest';
import XLSX from 'xlsx';
import { docxFile, wordParagraph } from '../support/files.ts';
import { read } from '../support/read.ts';

const eml = (headers: string, body: string) => `${headers}\r\n\r\n${body}`.replace(/\r?\n/g, '\r\n');
const headers = `From: "Ada L." <ada@example.com>
To: bo@example.com, Cy <cy@example.com>
Subject: =?utf-8?q?Pump_=C3=A9?=
Date: Mon, 01 Jan 2024 10:00:00 +0100 (CET)
Message-ID: <2@x>
In-Reply-To: <1@x>
References: <0@x> <1@x>`;

it('reads the sender, recipients, date and text of a mail', async () => {
  const { text, title, metadata } = await read('eml', eml(`${headers}\nContent-Type: text/plain`, 'Hello,\n\n# no heading\n> quoted'));
  expect(text).toBe(
    '# Pump é\n\n- From: Ada L. \\<ada@example.com>\n- To: bo@example.com, Cy \\<cy@example.com>\n- Date: Mon, 01 Jan 2024 10:00:00 +0100\n\nHello,\n\n\\# no heading\n> quoted',
  );
  expect(title).toBe('Pump é');
  expect(metadata).toEqual({
    author: 'Ada L. <ada@example.com>',
    created: '2024-01-01T09:00:00.000Z',
    message_id: '<2@x>',
    in_reply_to: '<1@x>',
    thread: '<0@x>',
  });
});

const withAttachments = (files: Record<string, Uint8Array | string>) =>
  eml(
    `${headers}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b`,
    [
      'Content-Type: text/html; charset=utf-8\n\n<p>See <a href="https://x/">this</a>.</p><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
      ...Object.entries(files).map(
        ([name, content]) =>
          `Content-Type: application/octet-stream\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content as string).toString('base64')}`,
      ),
    ]
      .map((part) => `--b\n${part}\n`)
      .join('') + '--b--\n',
  );

it('reads the attachments of a mail as documents, and lists those that it left out', async () => {
  const { text, members, metadata } = await read(
    'eml',
    withAttachments({ 'a.docx': docxFile(wordParagraph('In Word.')), 'b.bin': 'x', 'c.eml': eml('Subject: Inner', 'Deep.') }),
  );
  expect(text).toContain('- Attachments: a.docx, b.bin, c.eml');
  expect(text).toContain('See [this](https://x/).\n\n| A | B |');
  expect(members!.map(({ path, parsed }) => [path, parsed.text])).toEqual([
    ['a.docx', 'In Word.'],
    ['c.eml', '# Inner\n\nDeep.'],
  ]);
  expect(metadata.left_out).toEqual(['b.bin is of a kind that is not supported']);
});

/** A mail of these parts; the headers of each stand above an empty line. */
const ofParts = (kind: string, ...parts: string[]) =>
  eml(
    `${headers}\nMIME-Version: 1.0\nContent-Type: multipart/${kind}; boundary=b`,
    `${parts.map((part) => `--b\n${part}\n`).join('')}--b--`,
  );
const attached = (type: string, content: string) => `Content-Type: ${type}\nContent-Disposition: attachment\n\n${content}`;

it('reads an attachment without a name by its media type', async () => {
  const { text, members, metadata } = await read(
    'eml',
    ofParts(
      'mixed',
      'Content-Type: text/plain\n\nSee below.',
      attached('message/rfc822', 'Subject: Inner\n\nValve 77.'),
      attached('text/csv', 'a,b\n1,2'),
      attached('application/x-unknown', 'x'),
    ),
  );
  expect(text).toContain('- Attachments: attachment 1, attachment 2, attachment 3\n');
  expect(members!.map(({ path, file_type, parsed }) => [path, file_type, parsed.text])).toEqual([
    ['attachment 1', 'eml', '# Inner\n\nValve 77.'],
    ['attachment 2', 'csv', '| a | b |\n| --- | --- |\n| 1 | 2 |'],
  ]);
  expect(metadata.left_out).toEqual(['attachment 3 is of a kind that is not supported']);
});

it('gives attachments with the same name distinct names', async () => {
  const named = (name: string) => `Content-Type: text/plain\nContent-Disposition: attachment; filename="${name}"\n\nWords.`;
  const { members } = await read('eml', ofParts('mixed', ...['a.txt', 'a.txt', 'a (2).txt', 'a.txt'].map(named)));
  expect(members!.map(({ path }) => path)).toEqual(['a.txt', 'a (3).txt', 'a (2).txt', 'a (4).txt']);
});

it('leaves out pictures within the text of a mail', async () => {
  const picture = 'Content-Type: image/png; name="logo.png"\nContent-ID: <logo>\nContent-Disposition: inline; filename="logo.png"\n\nx';
  const { text, metadata } = await read('eml', ofParts('related', 'Content-Type: text/html\n\n<p>Hi <img src="cid:logo"></p>', picture));
  expect(text).not.toContain('logo.png');
  expect(metadata.left_out).toBeUndefined();
});

it('reads at most 100 attachments of a mail, and lists the names of all', async () => {
  const { text, members } = await read(
    'eml',
    withAttachments(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.txt`, 'x']))),
  );
  expect(text).toContain(', 99.txt, 100.txt\n');
  expect(members!.map(({ path }) => path).slice(98)).toEqual(['98.txt', '99.txt']);
});

it('reads a mail within a mail, but not the attachments of a deeper one', async () => {
  const wrapped = (subject: string, inner: string) =>
    `Subject: ${subject}\n${withAttachments({ 'inner.eml': inner }).split('\r\n').slice(7).join('\n')}`;
  const outer = await read('eml', wrapped('1', wrapped('2', wrapped('3', 'Subject: 4\n\nDeep.'))));
  const third = outer.members![0]!.parsed.members![0]!.parsed;
  expect(third.title).toBe('3');
  expect({ members: third.members, left_out: third.metadata.left_out }).toEqual({
    members: undefined,
    left_out: ['inner.eml lies too deep'],
  });
});

it('reads the mails of a mailbox as documents', async () => {
  const { members } = await read(
    'mbox',
    `From ada@x Mon Jan 01 10:00:00 2024\n${headers}\n\nOne.\n>From here on.\n\nFrom bo@x Mon Jan 01 11:00:00 2024\nSubject: Re: Pump\nIn-Reply-To: <2@x>\n\nTwo.\n`,
  );
  expect(members!.map(({ path, parsed: { title, text, metadata } }) => [path, title, text.split('\n\n').at(-1), metadata.thread])).toEqual([
    ['message 1', 'Pump é', 'One.\nFrom here on.', '<0@x>'],
    ['message 2', 'Re: Pump', 'Two.', '<2@x>'],
  ]);
});

it.each([
  ['the time and the year of a mail', 'From bo@x Mon Jan  1 11:00:00 2024'],
  ['them in another order', 'From - Mon, 1 Jan 2024 11:00:00 +0100'],
  ['an address', 'From bo@x'],
])('splits a mailbox at lines with %s, and keeps paragraphs that begin like one', async (_, separator) => {
  const paragraphs = 'Hello.\n\nFrom the beginning the boiler had 3 bar.\nNote: now 5.\n\nFrom May to June 2024\nit rained.';
  const mailbox = `From ada@x Mon Jan 01 10:00:00 2024\n${headers}\n\n${paragraphs}\n\n${separator}\nSubject: Two\n\nTwo.\n`;
  for (const before of ['', '\n', '\ufeff', '\r\n\r\n']) {
    const { members } = await read('mbox', before + mailbox);
    expect(members!.map(({ parsed: { text } }) => text.split('\n\n').slice(2).join('\n\n'))).toEqual([paragraphs, '']);
  }
});

/** A compound file (MS-CFB) of these streams. */
function compoundFile(streams: Record<string, Uint8Array>): Buffer {
  const { CFB } = XLSX;
  const file = CFB.utils.cfb_new();
  for (const [name, content] of Object.entries(streams)) CFB.utils.cfb_add(file, `/${name}`, Buffer.from(content));
  return Buffer.from(CFB.write(file, { type: 'buffer' }));
}
const wide = (text: string) => Buffer.from(text, 'utf16le');
const sent = Buffer.alloc(48);
sent.writeUInt32LE(0x00390040, 32);
sent.writeBigUInt64LE(BigInt(Date.UTC(2024, 0, 1)) * 10_000n + 116_444_736_000_000_000n, 40);
const message = {
  '__properties_version1.0': sent,
  '__substg1.0_0037001F': wide('Pump'),
  '__substg1.0_0C1A001F': wide('Ada'),
  '__substg1.0_5D01001F': wide('ada@example.com'),
  '__substg1.0_0E04001F': wide('Bo'),
  '__substg1.0_1000001E': Buffer.from('Caf\u00e9 at noon, und sp\u00e4ter Gr\u00fc\u00dfe.', 'latin1'),
  '__attach_version1.0_#00000000/__substg1.0_3707001F': wide('a.txt'),
  '__attach_version1.0_#00000000/__substg1.0_37010102': Buffer.from('Attached words.'),
};

it('reads a mail of Outlook and its attachments', async () => {
  const { text, title, members } = await read('msg', compoundFile(message));
  expect(title).toBe('Pump');
  expect(text).toBe(
    '# Pump\n\n- From: Ada \\<ada@example.com>\n- To: Bo\n- Date: Mon, 01 Jan 2024 00:00:00 GMT\n- Attachments: a.txt\n\nCafé at noon, und später Grüße.',
  );
  expect(members).toMatchObject([{ path: 'a.txt', parsed: { text: 'Attached words.' } }]);
});

/** Properties of fixed length behind a header of so many bytes. */
const properties = (header: number, values: Record<number, number>): Buffer =>
  Buffer.concat([
    Buffer.alloc(header),
    ...Object.entries(values).map(([tag, value]) => {
      const property = Buffer.alloc(16);
      property.writeUInt32LE(Number(tag));
      property.writeUInt32LE(value, 8);
      return property;
    }),
  ]);

it('reads a mail of Outlook in its code page, with attached mails', async () => {
  const inner = '__attach_version1.0_#00000000/__substg1.0_3701000D/';
  const { text, members } = await read(
    'msg',
    compoundFile({
      '__properties_version1.0': properties(32, { 0x3ffd0003: 1251 }),
      '__substg1.0_0037001E': Buffer.from('cde0f1eef1', 'hex'),
      '__substg1.0_1000001E': Buffer.from('See below.'),
      '__attach_version1.0_#00000000/__substg1.0_3001001E': Buffer.from('Order'),
      [`${inner}__properties_version1.0`]: properties(24, { 0x3ffd0003: 1251 }),
      [`${inner}__substg1.0_0037001E`]: Buffer.from('c7e0eae0e7', 'hex'),
      [`${inner}__substg1.0_1000001E`]: Buffer.from('Two seals.'),
    }),
  );
  expect(text).toBe('# Насос\n\n- Attachments: Order.msg\n\nSee below.');
  expect(members).toMatchObject([{ path: 'Order.msg', parsed: { title: 'Заказ', text: '# Заказ\n\nTwo seals.' } }]);
});

it.each([
  ['eml', '', /is empty/],
  ['mbox', 'just words', /without any text/],
  ['msg', compoundFile({ Other: Buffer.from('x') }), /old Office version/],
  ['msg', compoundFile(message).subarray(0, 1024), /.*/],
])('refuses a broken mail (%s %#)', async (kind, content, reason) => {
  await expect(read(kind, content)).rejects.toThrow(reason);
});

it('does not read endlessly nested parts', async () => {
  const depth = 2_000;
  const parts = Array.from({ length: depth }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join('');
  await expect(read('eml', `Subject: x\r\n${parts}Content-Type: text/plain\r\n\r\nDeep.`)).rejects.toThrow(/cannot be read as a mail/);
});

const lines = (...parts: string[]): string => parts.join('\r\n');

describe('an invitation', () => {
  const invite =
    'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260319T083000Z\r\nSUMMARY:Survey of the weir\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';
  const mail = (...attachment: string[]) =>
    lines(
      'From: a@weir.example',
      'Subject: Survey',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'You are invited.',
      '--b',
      'Content-Type: text/calendar; method=REQUEST',
      '',
      `${invite}`,
      ...attachment,
      '--b--',
      '',
    );
  it('is part of the mail', async () => {
    const { text, members } = await read('eml', mail());
    expect(text).toContain('You are invited.\n\n## Survey of the weir\n\n- When: 2026-03-19 08:30 UTC');
    expect(members).toBeUndefined();
  });
  it('that is also attached is read once', async () => {
    const attachment = [
      '--b',
      'Content-Type: application/ics; name="invite.ics"',
      'Content-Disposition: attachment; filename="invite.ics"',
      '',
      invite,
    ];
    const { text, members } = await read('eml', mail(...attachment));
    expect(text).toContain('Survey of the weir');
    expect(members).toBeUndefined();
  });
});

it('reads text of another kind in a mail as a document', async () => {
  const mail = lines(
    'From: a@b.example',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Prices:',
    '--b',
    'Content-Type: text/csv',
    '',
    'part,price',
    'seal,3',
    '--b--',
    '',
  );
  expect((await read('eml', mail)).members).toMatchObject([
    { file_type: 'csv', parsed: { text: expect.stringContaining('| seal | 3 |') } },
  ]);
});

it('reads the HTML of a mail whose plain text lacks words of it', async () => {
  const mail = (plain: string) =>
    lines(
      'From: a@b.example',
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      plain,
      '--b',
      'Content-Type: text/html',
      '',
      '<p>The <a href="http://lock.example/key">key</a> hangs behind the clock.</p>',
      '--b--',
      '',
    );
  expect(
    (await read('eml', mail('The key hangs in the browser version of this mail, which you find at http://lock.example.'))).text,
  ).toContain('behind the clock');
  expect((await read('eml', mail('The key hangs behind the clock.'))).text).toMatch(/\n\nThe key hangs behind the clock\.$/);
});

describe('a mail in UTF-16', () => {
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  it('is read', async () => {
    const mail = lines(
      'From: a@b.example',
      'Subject: Key',
      'Content-Type: text/plain; charset=iso-8859-1',
      '',
      'Der Schlüssel hängt da.',
      '',
    );
    for (const bytes of [utf16(mail), utf16(mail).swap16()]) expect((await read('eml', bytes)).text).toContain('Der Schlüssel hängt da.');
  });
  it('keeps the encodings of encoded parts', async () => {
    const mail = lines(
      'From: a@b.example',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Schl=FCssel',
      '',
    );
    expect((await read('eml', utf16(mail))).text).toContain('Schlüssel');
  });
  it('is read in a mailbox', async () => {
    const mailbox = 'From a@b.example Mon Jan 01 10:00:00 2024\nSubject: One\n\nFirst.\n';
    expect((await read('mbox', utf16(mailbox))).members).toMatchObject([{ parsed: { text: expect.stringContaining('First.') } }]);
  });
});

describe('a saved web page', () => {
  const page = (...address: string[]) =>
    lines(
      'From: <Saved by Blink>',
      ...address,
      'Subject: Care',
      'MIME-Version: 1.0',
      'Content-Type: multipart/related; type="text/html"; boundary="cut"',
      '',
      '--cut',
      'Content-Type: text/html',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<title>Care of the lamp</title><h1>The lam=',
      'p</h1><p>Trim the wick =E2=80=93 <a href=3D"oil">oil it</a>.</p>',
      '--cut',
      'Content-Type: image/png',
      'Content-Location: http://lamps.example/a.png',
      'Content-Transfer-Encoding: base64',
      '',
      'iVBORw0KGgo=',
      '--cut--',
      '',
    );
  it('is read as the page, whose links lead to where it was', async () => {
    const parsed = await read('mhtml', page('Snapshot-Content-Location: http://lamps.example/care'));
    expect(parsed).toMatchObject({ title: 'Care of the lamp', text: '# The lamp\n\nTrim the wick – [oil it](http://lamps.example/oil).' });
  });
  it('is read without its address', async () => {
    expect((await read('mhtml', page())).text).toContain('Trim the wick');
  });
});
