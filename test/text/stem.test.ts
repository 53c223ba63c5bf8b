import { describe, expect, it } from 'vitest';
import { stem } from '../../src/text/stem.ts';

/** Words of the published examples of the algorithm, and of each of its rules. */
const EXAMPLES: Record<string, string> = {
  consign: 'consign',
  consigned: 'consign',
  consignment: 'consign',
  consolation: 'consol',
  consolatory: 'consolatori',
  consolingly: 'consol',
  conspicuously: 'conspicu',
  knack: 'knack',
  knackeries: 'knackeri',
  knightly: 'knight',
  knotted: 'knot',
  caresses: 'caress',
  cries: 'cri',
  ties: 'tie',
  gaps: 'gap',
  kiwis: 'kiwi',
  gas: 'gas',
  this: 'this',
  agreed: 'agre',
  feed: 'feed',
  plastered: 'plaster',
  bled: 'bled',
  motoring: 'motor',
  sing: 'sing',
  luxuriated: 'luxuri',
  hopping: 'hop',
  hoping: 'hope',
  falling: 'fall',
  happy: 'happi',
  by: 'by',
  say: 'say',
  relational: 'relat',
  valency: 'valenc',
  digitizer: 'digit',
  vietnamization: 'vietnam',
  sensibility: 'sensibl',
  analogy: 'analog',
  triplicate: 'triplic',
  hopefulness: 'hope',
  goodness: 'good',
  formative: 'format',
  revival: 'reviv',
  adoption: 'adopt',
  rate: 'rate',
  controlling: 'control',
  rolled: 'roll',
  generously: 'generous',
  universal: 'universal',
  internal: 'internal',
  biologist: 'biolog',
  skies: 'sky',
  dying: 'die',
  news: 'news',
  proceedings: 'proceed',
  evenings: 'evening',
  egging: 'egg',
  paste: 'paste',
  youth: 'youth',
  boyish: 'boyish',
  sayings: 'say',
  a: 'a',
  is: 'is',
  '': '',
};

describe('stem', () => {
  it.each(Object.entries(EXAMPLES))('of %s is %s', (word, expected) => {
    expect(stem(word)).toBe(expected);
  });

  it('is the same for all forms of a word', () => {
    for (const forms of [
      ['replace', 'replaces', 'replaced', 'replacing'],
      ['connect', 'connected', 'connecting', 'connection', 'connections'],
      ['study', 'studies', 'studied', 'studying'],
    ]) {
      expect(new Set(forms.map(stem)).size).toBe(1);
    }
  });
});
