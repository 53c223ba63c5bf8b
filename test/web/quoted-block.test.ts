import { describe, expect, it } from 'vitest';
import { bareText, findQuotedBlock, wordsOf } from '../../web/quoted-block.ts';

describe('the block that a statement rests on', () => {
  const blocks = ['The machine is guaranteed.', 'The boilers are guaranteed for 60 months.', 'Descale it every nine weeks.'];

  it('is the one that holds most of its words', () => {
    expect(findQuotedBlock(blocks, 'Boilers have a guarantee of 60 months')).toBe(1);
  });

  it('is the shorter one of two that hold as much', () => {
    expect(findQuotedBlock([`Descale it every nine weeks. ${'More of it. '.repeat(30)}`, blocks[2]!], 'descale every nine weeks')).toBe(1);
  });

  it('is none where nothing fits', () => {
    expect([
      findQuotedBlock(blocks, 'an unrelated sentence about trains'),
      findQuotedBlock(blocks, '…'),
      findQuotedBlock([], 'boilers'),
    ]).toEqual([-1, -1, -1]);
  });

  it('is found in a script without spaces', () => {
    expect(findQuotedBlock(['机器每九周除垢一次。', '锅炉保修六十个月。'], '锅炉的保修是六十个月')).toBe(1);
  });
});

describe('words and bare text', () => {
  it('are free of punctuation', () => {
    expect(wordsOf('Part OVP-1054, please!')).toEqual(['part', 'ovp', '1054', 'please']);
    expect(bareText('**60 months** | Boilers')).toBe('60monthsboilers');
  });
});
