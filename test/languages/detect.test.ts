import { describe, expect, it, test } from 'vitest';
import { fallbacksFor, isFunctionWord, languageOf } from '../../src/languages/detect.ts';

const ASKED: [string, string][] = [
  ['en', 'How often is the filter replaced?'],
  ['de', 'Wie oft wird der Filter gewechselt?'],
  ['de', 'Warum?'],
  ['de', 'Wie lange dauert die Lieferung?'],
  ['de', 'Wo?'],
  ['de', 'Was kostet Plus?'],
  ['de', 'Wie teuer wird Versand?'],
  ['de', 'Wann kommt Plus?'],
  ['de', 'danke, und wie lange dauert die Lieferung?'],
  ['fr', 'Comment annuler ?'],
  ['fr', 'Combien ?'],
  ['es', '¿Cuánto?'],
  ['es', 'Cuándo llega?'],
  ['it', 'Dove si trova?'],
  ['nl', 'Hoe duur?'],
  ['nl', 'Wat kost levering?'],
  ['en', 'How much?'],
  ['en', 'How is Die Welt delivered?'],
  ['fr', 'À quelle fréquence faut-il remplacer le filtre ?'],
  ['fr', 'Pourquoi ?'],
  ['es', '¿Cada cuánto se cambia el filtro?'],
  ['it', 'Quanto spesso si cambia il filtro?'],
  ['pt', 'Com que frequência o filtro é trocado? Quanto custa?'],
  ['nl', 'Hoe vaak moet het filter worden vervangen?'],
  ['pl', 'Jak często trzeba wymieniać filtr?'],
  ['ru', 'Как часто нужно менять фильтр?'],
  ['uk', 'Як часто потрібно міняти фільтр і де його купити?'],
  ['bg', 'Колко често се сменя филтърът?'],
  ['cs', 'Jak často se musí měnit filtr a kde je?'],
  ['sk', 'Ako často sa musí meniť filter?'],
  ['hr', 'Koliko često treba mijenjati filtar?'],
  ['sv', 'Hur ofta måste filtret bytas?'],
  ['da', 'Hvor ofte skal filteret skiftes?'],
  ['fi', 'Kuinka usein suodatin pitää vaihtaa?'],
  ['tr', 'Filtre ne kadar sürede bir değiştirilir?'],
  ['el', 'Πόσο συχνά αλλάζει το φίλτρο;'],
  ['hu', 'Milyen gyakran kell cserélni a szűrőt?'],
  ['ro', 'Cât de des trebuie schimbat filtrul?'],
  ['ca', 'Quan cal canviar el filtre i quant costa?'],
  ['vi', 'Bao nhiêu lâu thì phải thay bộ lọc?'],
  ['id', 'Berapa kali filter harus diganti?'],
  ['sw', 'Kichujio kinabadilishwa lini na kwa nini?'],
  ['tl', 'Gaano kadalas dapat palitan ang filter, at bakit?'],
  ['ar', 'كم مرة يجب تغيير الفلتر؟'],
  ['fa', 'هر چند وقت یک بار فیلتر عوض می‌شود؟'],
  ['ur', 'فلٹر کتنی بار بدلا جاتا ہے؟'],
  ['he', 'באיזו תדירות מחליפים את המסנן?'],
  ['hi', 'फ़िल्टर कितनी बार बदला जाता है?'],
  ['bn', 'ফিল্টার কতবার বদলাতে হয়?'],
  ['th', 'ต้องเปลี่ยนไส้กรองบ่อยแค่ไหน'],
  ['zh', '滤芯多久更换一次？'],
  ['ja', 'ERR-4042 とは何ですか。'],
  ['ko', '필터는 얼마나 자주 교체하나요?'],
];

describe('the language of a question', () => {
  it.each(ASKED)('is %s: %s', (language, question) => {
    expect(languageOf(question)).toBe(language);
  });

  it.each([
    'ERR-4042',
    'Garantie Pumpe',
    'Die casting temperature',
    'Los Angeles hotels',
    'Over temperature limit',
    'per page',
    'Was the order late?',
    'Wie Corp',
    '?',
    '👍',
  ])('is undefined for %s', (question) => {
    expect(languageOf(question) ?? 'en').toBe('en');
  });
});

test('detects a German question that begins like an English one by any German word', () => {
  for (const question of ['Was ist E31?', 'Was tun bei E31?', 'Was macht man bei E31?', 'Was bedeutet E24?', 'Und was ist E31?'])
    expect(languageOf(question), question).toBe('de');
  for (const question of ['Was it E31?', 'Was the valve open?', 'Was Bach a composer?'])
    expect(languageOf(question) ?? 'en', question).toBe('en');
});

test('treats a word as a function word of one language and a content word of another', () => {
  expect([isFunctionWord('womit', 'de'), isFunctionWord('womit', 'en')]).toEqual([true, false]);
  expect(isFunctionWord('womit', 'xx')).toBe(false);
});

describe('a fallback message', () => {
  it('is in the language of the question, or in English if that is unknown', () => {
    expect(fallbacksFor('Wo ist der Schlüssel?').nothing).toBe('Die Quellen beantworten das nicht.');
    expect(fallbacksFor('Où est la clé ?').refused).toMatch(/^Je ne peux pas répondre/);
    expect(fallbacksFor('ERR-4042').narrower).toMatch(/^I found nothing that clearly answers this\..*\?$/);
    expect(fallbacksFor('鍵はどこですか').nothing).toBe('The sources do not answer this.');
  });

  it('is in the language of an earlier question if that of this one is unknown', () => {
    const before = [
      { role: 'user', content: 'How often is the filter replaced?' },
      { role: 'user', content: 'Wie lange dauert die Lieferung?' },
      { role: 'assistant', content: 'Two days [1].' },
      { role: 'user', content: 'E05' },
    ];
    expect(fallbacksFor('ERR-4042', before).nothing).toBe('Die Quellen beantworten das nicht.');
    expect(fallbacksFor('How often is it?', before).nothing).toBe('The sources do not answer this.');
  });
});

it('takes no letters of codes for words', () => {
  expect(languageOf('Checked valve E11 and O2, then os_name.')).not.toBe('pt');
  expect(languageOf('valve E11, part O2')).toBeUndefined();
});
