import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/core/project.ts';

const textOf = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');

export interface Instruction {
  name: string;
  value: string;
}

/** The instructions of the Dockerfile, its continued lines joined. */
export function dockerfile(): Instruction[] {
  const lines = textOf('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const at = line.indexOf(' ');
    return { name: line.slice(0, at), value: line.slice(at + 1) };
  });
}

/** What the last stage sets. */
export function imageEnvironment(): Record<string, string> {
  const pairs = stages(dockerfile())
    .at(-1)!
    .filter(({ name }) => name === 'ENV');
  return Object.fromEntries(pairs.flatMap(({ value }) => value.split(/ +/).map((pair) => pair.split('=') as [string, string])));
}

/** The instructions of each stage. */
export function stages(instructions: readonly Instruction[]): Instruction[][] {
  const found: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.name === 'FROM') found.push([]);
    found.at(-1)?.push(instruction);
  }
  return found;
}

export interface Service {
  image?: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  volumes?: string[];
  ports?: string[];
  depends_on?: string[];
  [key: string]: unknown;
}

/** The compose files by their names. */
export const composeFiles = (): Record<string, { services: Record<string, Service>; volumes?: Record<string, unknown> }> =>
  Object.fromEntries(
    readdirSync(join(packageRoot, 'deploy'))
      .filter((name) => name.startsWith('compose'))
      .map((name) => [name, parse(textOf(`deploy/${name}`), { customTags: [{ tag: '!override', collection: 'seq' }] })]),
  );

/** The directives of the systemd unit; one that is repeated has several values. */
export function unit(): Map<string, string[]> {
  const pairs = textOf('deploy/kb.service')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as [string, string]);
  return new Map([...Map.groupBy(pairs, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]));
}
