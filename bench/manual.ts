import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Characters of a section, about: one chunk at the default size. */
const SECTION = 950;

const machines = [
  'kiln',
  'loom',
  'winch',
  'lathe',
  'dynamo',
  'press',
  'crane',
  'mill',
  'ferry engine',
  'incubator',
  'weighbridge',
  'harvester',
];
const parts =
  'spindle bobbin damper rudder hinge ratchet nozzle clutch flywheel sieve bellows gauge sleeve chuck pulley rotor stator hopper grate plunger diaphragm louvre yoke cam'.split(
    ' ',
  );
const states = 'cracked seized noisy overheated misaligned corroded blocked slack brittle unbalanced leaking scorched'.split(' ');
const works = 'grease measure realign rinse rewind polish reseat degrease inspect shim balance ventilate'.split(' ');
const moments = [
  'before the morning shift',
  'every forty hours',
  'after a cold start',
  'once the pressure is off',
  'at each change of crew',
  'when the lamp turns amber',
];
const grounds = [
  'so that the run-out stays within the tolerance',
  'because grit wears the seat',
  'or the interlock trips',
  'as the inspector will ask for it',
  'which keeps the vibration below the limit',
];

/** Numbers from 0 to 1 that are the same in every run: mulberry32, a generator of Tommy Ettinger's in the public domain. */
export function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One English sentence of a repair manual. */
export function sentence(next: () => number): string {
  const one = (list: readonly string[]) => list[Math.floor(next() * list.length)]!;
  const number = 100 + Math.floor(next() * 9900);
  const forms = [
    () =>
      `To ${one(works)} the ${one(parts)}, stop the ${one(machines)} ${one(moments)} and ${one(works)} the ${one(parts)}, ${one(grounds)}.`,
    () => `Code K-${number} means that the ${one(parts)} is ${one(states)}: ${one(works)} it and note the ${one(parts)} in the log.`,
    () => `A ${one(states)} ${one(parts)} draws ${number} watts; ${one(works)} it ${one(moments)}.`,
    () => `The ${one(parts)} of the ${one(machines)} is part ${number}-${one(parts).slice(0, 2).toUpperCase()}, ${one(grounds)}.`,
  ];
  return forms[Math.floor(next() * forms.length)]!();
}

function section(heading: string, next: () => number): string {
  let text = `## ${heading}\n\n${sentence(next)}`;
  for (let more = sentence(next); text.length + more.length < SECTION; more = sentence(next)) text += ` ${more}`;
  return text;
}

/** The text of one manual: three sections of about 950 characters, the same in every run. */
export function manual(index: number): string {
  const next = random(4000 + index);
  const title = `# Handbook ${index}: ${states[index % states.length]} ${machines[index % machines.length]}`;
  const headings = ['Care', 'Troubles', 'Spare parts'].map((name) => section(`${name} of machine ${index}`, next));
  return `${[title, ...headings].join('\n\n')}\n`;
}

/** Writes `count` manuals into the folder, which is made. */
export function writeManuals(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < count; index++) writeFileSync(join(folder, `handbook-${index}.md`), manual(index));
}

/** So many handbooks as a set without questions. */
export const manualSet = (name: string, files: number) => ({
  name,
  corpus: Array.from({ length: files }, (_, i) => ({ _id: `handbook-${i}.md`, title: '', text: manual(i) })),
  queries: [],
  relevant: new Map(),
  left_out: new Map(),
});
