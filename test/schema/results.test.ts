import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/project.ts';
import { Event } from '../../src/schema/results.ts';

test('every stage of an event is listed in the schema', () => {
  const files = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const told = files.flatMap((name) =>
    [...readFileSync(join(packageRoot, 'src', name), 'utf8').matchAll(/\bprogress\(\s*'([a-z]+)'/g)].map(([, stage]) => stage!),
  );
  expect(told).toContain('retrieval');
  const named = Event.shape.stage.description!.match(/[a-z]+/g)!;
  expect([...new Set(told)].filter((stage) => !named.includes(stage))).toEqual([]);
});
