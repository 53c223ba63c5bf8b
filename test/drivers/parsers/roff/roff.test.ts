import { describe, expect, it } from 'vitest';
import { fileTypes } from '../../../../src/drivers/parsers/file-types.ts';
import { placeOf, read } from '../read.ts';

const page = String.raw`'\" t
.\" A comment that goes on \
.de Sp
.if n .sp
..
.de Warn
.B Warning: \\$1
..
.ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.ds Pl the \fBgarden\fR
.TH GROW 1 "May 2026" "Garden 2.1" "Garden Manual"
.ig
Nothing of this.
..
.SH NAME
grow \- plant, and water plants
.SH SYNOPSIS
.B grow
.RB [ \-\-bed = \fINAME\fP ]
.I plant\c
\&...
.SH OPTIONS
.SS "Where to plant"
.TP
.BI \-\-bed= NAME
Plant in this bed of \*(Pl. It\*(Aqs warm\(em\
mostly, \['e]t\('e.
.IP
More about beds.
.TP
\-
Read from standard input.
.PP
\fB\-p\fR, \fB\-\-pot\fR <size>
.RS 4
Plant in a pot.
.sp
.if n \{\
.RS 4
.\}
.nf
grow \-\-pot 2 \e
  rose
.fi
.if n \{\
.RE
.\}
.RE
.Warn "no frost"
.if t Not for paper.
.PP
Kinds:
.sp
.RS 4
.ie n \{\
\h'-04'\(bu\h'+03'\c
.\}
.el \{\
.IP \(bu 2.3
.\}
Roses
.RE
.IP \(bu 2
Herbs
.IP 2. 4
Trees
.Sp
See
.UR https://example.com/beds
the beds
.UE .
.TS
tab(;) allbox;
l l.
Plant;Weeks
_
Rose;T{
six, or
.B more
T}
.TE
`;

describe('a manual page in roff', () => {
  it('gets headings, options above their definitions, items, code and tables', async () => {
    const { text, title } = await read('roff', page);
    expect(title).toBe('grow(1)');
    expect(text).toBe(`## NAME

grow - plant, and water plants

## SYNOPSIS

grow [--bed=NAME] plant...

## OPTIONS

### Where to plant

\`--bed=NAME\`

Plant in this bed of the garden. It's warm—mostly, été.

More about beds.

\`-\`

Read from standard input.

\`-p, --pot <size>\`

Plant in a pot.

\`\`\`
grow --pot 2 \\
  rose
\`\`\`

Warning: no frost

Kinds:

- Roses

- Herbs

2. Trees

  See the beds ⟨https://example.com/beds⟩.

| Plant | Weeks |
| --- | --- |
| Rose | six, or more |`);
  });

  it('keeps its line numbers', async () => {
    const parsed = await read('roff', page);
    expect(placeOf(parsed, 'Plant in this bed')).toMatchObject({ line: 27 });
  });

  it('may use the macros of mdoc', async () => {
    const source = String.raw`.Dd May 1, 2026
.Dt GROW 1
.Os
.Sh NAME
.Nm grow
.Nd plant, and water plants
.Sh SYNOPSIS
.Nm
.Op Fl pv
.Op Fl b Oo Ar row : Oc Ns Ar bed
.Ar plant ...
.Nm
.Fl Fl help
.Sh DESCRIPTION
.Nm
plants
.Pq see Xr water 1 .
.Pp
Its options:
.Bl -tag -width Ds
.It Fl b Ar bed
In
.Sm off
.Ar row
.No :
.Ar bed ,
.Sm on
or
.Dq anywhere .
.It Xo
.Fl p ,
.Fl Fl pot
.Xc
In a pot:
.Bl -enum -compact
.It
clay
.It
wood
.El
.El
.Bd -literal
grow rose
.Ed
.Fn water "int litres" "bool now"
.Fo pour
.Fa "int litres"
.Fa "bool now"
.Fc
.Ex -std
`;
    const { text, title } = await read('roff', source);
    expect(title).toBe('grow(1)');
    expect(text).toBe(`## NAME

grow – plant, and water plants

## SYNOPSIS

grow [-pv] [-b [row:]bed] plant ...${'  '}
grow --help

## DESCRIPTION

grow plants (see water(1)).

Its options:

\`-b bed\`

In row:bed, or “anywhere”.

\`-p, --pot\`

In a pot:

1. clay

2. wood

\`\`\`
grow rose
\`\`\`

water(int litres, bool now) pour(int litres, bool now) The grow utility exits 0 on success, and >0 if an error occurs.`);
  });

  it('names the included page if there is nothing else', async () => {
    expect((await read('roff', '.so man1/grow.1\n')).text).toBe('See grow(1).');
  });

  it('is read to an end if macros call themselves', async () => {
    const { text } = await read('roff', '.TH A 1\n.de X\n.X\n.X\nplant\n..\n.ds S \\*S\\*S\n.SH NAME\n.X\nrose \\*S\n');
    expect(text).toMatch(/^## NAME\n\n.*rose$/s);
  });

  it('is read as plain text without macros', async () => {
    expect((await read('roff', 'May 1 12:00 host kernel: started\nMay 1 12:01 host kernel: ran')).text).toContain('host kernel: started');
  });
});

describe('names of manual pages', () => {
  const { fileType } = fileTypes();

  it.each(['tar.1', 'tar.1.gz', 'DBI.3pm', 'openssl.1ssl.gz', 'guide.mdoc'])('include %s', (name) => {
    expect(fileType(name)).toBe('roff');
  });

  it.each([
    ['notes.md.gz', 'markdown'],
    ['backup.7z', undefined],
    ['film.3gp', undefined],
    ['libz.so.1', undefined],
    ['all.tar.gz', undefined],
  ])('do not include %s', (name, type) => {
    expect(fileType(name)).toBe(type);
  });
});
