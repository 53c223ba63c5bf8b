import { expect, it } from 'vitest';
import { expectEveryWord } from '../support/every-word.ts';
import { placeOf, read } from '../support/read.ts';

const calendar = (...lines: string[]): string => ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
const event = (...lines: string[]): string[] => ['BEGIN:VEVENT', 'UID:1@example.org', ...lines, 'END:VEVENT'];
const survey = event(
  'DTSTART:20260319T083000Z',
  'DTEND:20260319T094500Z',
  'SUMMARY:Survey of the weir',
  'LOCATION:Boathouse\\, upper floor',
  'DESCRIPTION:Bring boots.\\nThe water is',
  '  still high.',
  'ORGANIZER;CN=Astrid Holm:mailto:astrid@weir.example',
  'ATTENDEE;CN="Moe; Emil";PARTSTAT=ACCEPTED:mailto:emil@weir.example',
  'ATTENDEE:mailto:ida@weir.example',
  'RRULE:FREQ=WEEKLY;COUNT=3',
  'BEGIN:VALARM',
  'DESCRIPTION:Reminder',
  'END:VALARM',
);

it('reads what an event is, when, where, by whom and with whom', async () => {
  const { text, title } = await expectEveryWord('calendar', Buffer.from(calendar(...survey)));
  expect(title).toBe('Survey of the weir');
  expect(text).toBe(
    [
      '# Survey of the weir',
      '',
      '- When: 2026-03-19 08:30 UTC – 09:45 UTC',
      '- Repeats: WEEKLY, COUNT=3',
      '- Where: Boathouse, upper floor',
      '- Organizer: Astrid Holm \\<astrid@weir.example>',
      '- Attendees: Moe; Emil \\<emil@weir.example>, ida@weir.example',
      '',
      'Bring boots.',
      'The water is still high.',
    ].join('\n'),
  );
});

it('reads the entries of a calendar under its name, each at its line', async () => {
  const task = ['BEGIN:VTODO', 'SUMMARY:Oil the lock', 'DUE;VALUE=DATE:20260401', 'END:VTODO'];
  const parsed = await read('calendar', calendar('X-WR-CALNAME:Weir', ...survey, ...task));
  expect(parsed.title).toBe('Weir');
  expect(parsed.text).toMatch(/^# Weir\n\n## Survey of the weir\n[^]*\n## Oil the lock\n\n- Due: 2026-04-01$/);
  expect(placeOf(parsed, '## Oil the lock')).toMatchObject({ line: 4 + survey.length });
});

it.each([
  [
    'DTSTART;TZID=Europe/Oslo:20260319T093000',
    'DTEND;TZID=Europe/Oslo:20260320T110000',
    '2026-03-19 09:30 Europe/Oslo – 2026-03-20 11:00 Europe/Oslo',
  ],
  ['DTSTART;VALUE=DATE:20260319', 'DTEND;VALUE=DATE:20260320', '2026-03-19'],
  ['DTSTART;VALUE=DATE:20260331', 'DTEND;VALUE=DATE:20260402', '2026-03-31 – 2026-04-01'],
  ['DTSTART:20260319T093000', 'DURATION:PT1H30M', '2026-03-19 09:30, for 1 h 30 min'],
  ['DTSTART:20260319T093000', 'X-ANY:1', '2026-03-19 09:30'],
])('writes the time of an event (%s, %s)', async (start, end, time) => {
  const { text } = await read('calendar', calendar(...event('SUMMARY:Survey', start, end)));
  expect(text).toContain(`- When: ${time}`);
});
