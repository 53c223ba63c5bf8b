import { z } from 'zod';
import { stringify } from 'yaml';
import { getPath } from '../core/settings.ts';
import { Config, DEFAULTS } from '../schema/config.ts';
import { descriptionOf, unwrapSchema } from '../schema/fields.ts';

/** Characters of a comment line. */
const WIDTH = 120;

/** Generates the example configuration: every key with its meaning and default. A test compares kb.config.example.yaml with it. */
export function exampleConfig(): string {
  const head = [
    '# Every key of kb.config.yaml with its default. Keep what you change; the rest may go.',
    '# Credentials do not belong here: they are read from the environment, or from .env beside this file.',
    '',
  ];
  return `${[...head, ...section(Config, '', 0)].join('\n')}\n`;
}

function section(schema: z.ZodObject, prefix: string, depth: number): string[] {
  const indent = '  '.repeat(depth);
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const path = prefix + name;
    const gap = depth === 0 ? [''] : [];
    if (field instanceof z.ZodObject) return [...gap, `${indent}${name}:`, ...section(field, `${path}.`, depth + 1)];
    return [...gap, ...comment(describe(field as z.ZodType), indent), `${indent}${line(name, path, field as z.ZodType)}`];
  });
}

function line(name: string, path: string, field: z.ZodType): string {
  const value = getPath(DEFAULTS, path);
  if (value === undefined) return `# ${name}:`;
  return `${name}: ${field.meta()?.unit === 'bytes' ? `${Number(value) / 2 ** 20} MiB` : stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false }).trim()}`;
}

function describe(field: z.ZodType): string {
  const inner = unwrapSchema(field);
  const meaning = descriptionOf(field);
  return inner instanceof z.ZodEnum ? `${meaning} (${inner.options.join(', ')})` : meaning;
}

function comment(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + word.length + 3 <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((part) => `${indent}# ${part}`);
}
