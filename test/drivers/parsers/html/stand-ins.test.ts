import { describe, expect, it } from 'vitest';
import { readPage } from '../read.ts';

describe('a declared shadow root', () => {
  it('is read where its component stands', async () => {
    const component =
      '<my-card><template shadowrootmode="open"><style>p { top: 0 }</style><p>Drawn <a href="/a">here</a>.</p></template><p>Slotted.</p></my-card>';
    const page = `<html><body><main>${component}<template><p>TEMPLATEWORD</p></template></main></body></html>`;
    expect((await readPage('https://x.example/', page)).text).toBe('Drawn [here](https://x.example/a).\n\nSlotted.');
  });
});
