// Reads a document like an engine would, in the way that the first argument tells:
// each prints the text of a small one; "once" ends without closing anything, "forever" goes on with one that never ends, "signalled" with another small
// one after it has had a SIGINT, "starved" tries to read another one when no descriptor is left, and says how that ended.
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createReader } from '../../src/index.ts';
import { slowHtml } from './slow-html.ts';

const reader = createReader({ processes: 1, seconds: 600, megabytes: 512 });
const read = (name: string, content: string) => reader.read(Buffer.from(content), { name }).then(({ text }) => text);

const interrupted = once(process, 'SIGINT');
process.stdout.write(`${await read('first.html', '<p>first</p>')}\n`);
if (process.argv[2] === 'forever') await read('slow.html', slowHtml);
if (process.argv[2] === 'signalled') {
  const alive = setInterval(() => {}, 1000);
  await interrupted;
  clearInterval(alive);
  process.stdout.write(`${await read('second.html', '<p>second</p>')}\n`);
}
if (process.argv[2] === 'starved') {
  await reader.close(); // its process would read the second one, too
  const another = createReader({ processes: 1, seconds: 600, megabytes: 512 });
  const held = descriptors();
  const failed = await another.read(Buffer.from('<p>second</p>'), { name: 'second.html' }).catch((error: unknown) => error);
  held.forEach((descriptor) => closeSync(descriptor));
  process.stdout.write(`${String(failed)}\n`);
}

/** All that the system gives. */
function descriptors(): number[] {
  const held: number[] = [];
  try {
    for (;;) held.push(openSync('/dev/null', 'r'));
  } catch {
    return held;
  }
}
