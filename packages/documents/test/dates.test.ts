import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDate } from '../src/dates.ts';

const all = (written: readonly string[]): (string | undefined)[] => written.map(readDate);

describe('a written date', () => {
  it('keeps the precision of ISO 8601, and is converted to UTC with a time', () => {
    expect(all(['2026-03-01', '2026/3/1', '20260301', '2026-03', '2026'])).toEqual([
      '2026-03-01',
      '2026-03-01',
      '2026-03-01',
      '2026-03',
      '2026',
    ]);
    for (const time of [
      '2026-03-01T10:00:00+01:00',
      '2026-03-01T09:00Z',
      '20260301T090000Z',
      '2026-03-01 09:00:00.000123 UTC',
      '2026-03-01 03:30:00 -0530',
    ])
      expect(readDate(time), time).toBe('2026-03-01T09:00:00.000Z');
  });

  it('is converted to ISO 8601 from RFC 2822 and from names of months', () => {
    expect(all(['Fri, 03 May 2024 10:00:00 GMT', 'Fri, 3 May 2024 12:00 +0200', 'Fri, 3 May 2024 05:00:00 EST (Ohio)'])).toEqual(
      Array(3).fill('2024-05-03T10:00:00.000Z'),
    );
    expect(all(['May 3, 2024', '3 May 2024', 'Friday, May 3rd, 2024', '03-May-2024', 'MAY 3 2024'])).toEqual(Array(5).fill('2024-05-03'));
    expect(all(['Sept. 3, 2024', 'September 2024', 'Sep 2024'])).toEqual(['2024-09-03', '2024-09', '2024-09']);
    expect(all(['May 3, 2024 at 12:05 am', 'May 3, 2024, 1:05 PM', 'Fri May 03 2024 13:05:00 GMT+0100 (BST)'])).toEqual([
      '2024-05-03T00:05:00.000Z',
      '2024-05-03T13:05:00.000Z',
      '2024-05-03T12:05:00.000Z',
    ]);
  });

  it('is read in German, French and Spanish', () => {
    for (const date of [
      '3. Mai 2024',
      'Freitag, 3. Mai 2024',
      '3 mai 2024',
      'vendredi 3 mai 2024',
      'viernes, 3 de mayo de 2024',
      '3 de mayo 2024',
    ])
      expect(readDate(date), date).toBe('2024-05-03');
    expect(all(['1er août 2024', '1.º', 'März 2024', '3 de mayor de 2024'])).toEqual(['2024-08-01', undefined, '2024-03', undefined]);
  });

  it('may have its year last, dots after the year, and a zone name after the offset', () => {
    for (const time of [
      'Wed May 01 10:00:00 +0000 2024',
      'Wed May  1 10:00:00 2024',
      'Wed May  1 10:00:00 UTC 2024',
      '2024.05.01 10:00',
      '2024-05-01 10:00:00 +0000 UTC',
      '2024-05-01 12:00:00 +0200 CEST',
      '2024-05-01T12:00:00+02:00[Europe/Berlin]',
      '2024-05-01T10:00:00Z[UTC]',
    ])
      expect(readDate(time), time).toBe('2024-05-01T10:00:00.000Z');
    expect(all(['2024.05.01', '2024.05', '2024-05-01 10:00 XYZ UTC', 'Wed May 99 10:00:00 2024'])).toEqual([
      '2024-05-01',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is undefined if day and month are ambiguous, if it does not exist, and for other text', () => {
    for (const written of [
      '03/04/2024',
      '13/04/2024',
      '3.4.2024',
      '2024-13-01',
      '2024-04-31',
      '2023-02-29',
      '2024-05-00',
      '2024-05-01T25:00',
      '2024-05-01T10:61',
      'May 3, 2024 13:05 pm',
      '2024-05-01 10:00 XYZ',
      'May 2024 10:00',
      'Version 2024',
      'Mayor 3, 2024',
      'yesterday',
      '1772352000',
      '',
      `2024-05-01${' '.repeat(200)}x`,
    ])
      expect(readDate(written), written).toBeUndefined();
  });

  it('is read back unchanged after conversion', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01T00:00:00Z'), max: new Date('2999-12-31T00:00:00Z'), noInvalidDate: true }),
        (date) => {
          expect(readDate(date.toISOString())).toBe(date.toISOString());
          expect(readDate(date.toUTCString())).toBe(`${date.toISOString().slice(0, 19)}.000Z`);
        },
      ),
    );
  });
});
