import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { getPath } from '../../src/core/settings.ts';
import { exampleConfig } from '../../src/config/example.ts';
import { readConfigFile } from '../../src/config/load.ts';
import { Config, DEFAULTS } from '../../src/schema/config.ts';
import { keysOf, type Key } from '../../src/schema/fields.ts';

const path = join(packageRoot, 'kb.config.example.yaml');
const text = readFileSync(path, 'utf8');

it('kb.config.example.yaml matches the schema (npm run example writes it)', () => {
  expect(text).toBe(exampleConfig());
});

it('the example configuration is valid, and equals the defaults', () => {
  const { layer } = readConfigFile(path);
  for (const key of keysOf(Config))
    expect([key.path, read(key, getPath(layer, key.path) ?? getPath(parse(text), key.path))]).toEqual([
      key.path,
      getPath(DEFAULTS, key.path),
    ]);
});

/** The value as the schema reads it: `10 MiB` is a number. */
const read = ({ schema }: Key, value: unknown): unknown => (value === undefined ? undefined : schema.parse(value));

it('the example configuration has every key with its description', () => {
  for (const { path: key, description } of keysOf(Config)) {
    expect(text).toMatch(new RegExp(`^ *(# )?${key.split('.').at(-1)}:`, 'm'));
    expect([key, description.length > 10]).toEqual([key, true]);
  }
});
