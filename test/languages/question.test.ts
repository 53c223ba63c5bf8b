import { expect, test } from 'vitest';
import { asksForMore, lastQuestion, splitQuestion, subjectTerms, topicTerms, withoutMeasure } from '../../src/languages/question.ts';

const asked = (query: string, question = query) => splitQuestion({ query, question }).map((part) => [part.query, part.question]);

test('splits a double question, and adds the subject to the second part', () => {
  expect(asked('How do I pay, and how long does delivery take?')).toEqual([
    ['How do I pay?', 'How do I pay?'],
    ['how long does delivery take?', 'how long does delivery take?'],
  ]);
  expect(asked('How do I pair the gateway, and how long does it take?')[1]).toEqual([
    'How do I pair the gateway? how long does it take?',
    'how long does it take?',
  ]);
  expect(asked('Was kostet die Pumpe und wie lange dauert die Lieferung?').map(([query]) => query)).toEqual([
    'Was kostet die Pumpe?',
    'wie lange dauert die Lieferung?',
  ]);
  for (const [question, second] of [
    ['What does the pump cost and is it waterproof?', 'is it waterproof?'],
    ['What does the pump cost and can the filter be washed?', 'can the filter be washed?'],
    ['Was kostet die Pumpe und ist sie wasserdicht?', 'ist sie wasserdicht?'],
    ['Combien coûte la pompe et comment est-elle livrée ?', 'comment est-elle livrée?'],
    ['¿Cuánto cuesta la bomba y cuándo llega el filtro?', 'cuándo llega el filtro?'],
  ] as const)
    expect(asked(question)[1]?.[1]).toBe(second);
});

test('splits at a preposition before the question word, and between sentences that are questions of their own', () => {
  for (const [question, second] of [
    ['How many days of vacation do I get, and for how long is sick leave paid?', 'for how long is sick leave paid?'],
    ['Was kostet die Pumpe und bis wann wird der Filter geliefert?', 'bis wann wird der Filter geliefert?'],
    ['Combien coûte la pompe et à quelle heure ferme le magasin ?', 'à quelle heure ferme le magasin?'],
    ['¿Cuánto cuesta la bomba y hasta cuándo dura la garantía?', 'hasta cuándo dura la garantía?'],
    ['For how long is sick leave paid? And what is paid for shoes?', 'And what is paid for shoes?'],
    ['Wie lange gilt die Garantie der Pumpe? Was kostet der Filter im Laden?', 'Was kostet der Filter im Laden?'],
  ] as const)
    expect(asked(question)[1]?.[1]).toBe(second);
  const three = 'How long is sick leave paid? What is paid for shoes and how much is paid for gloves? Thanks.';
  expect(splitQuestion({ query: three.replace(' Thanks.', ''), question: three })).toHaveLength(3);
  for (const one of [
    'Can you help me? What is the default port of the server?',
    'What is the warranty period of the pump? And in Norway?',
    'What is the price of the small pump? Is it in stock?',
  ])
    expect(asked(one)).toHaveLength(1);
});

test('does not split a question if a part has no content or no other question begins', () => {
  for (const question of [
    'What does E12 mean and what should I do?',
    'Which refrigerant is in it and how much?',
    'What do filters and seals cost?',
    'Was bedeutet E12 und was soll ich tun?',
    'Which boats are over 30 feet and have a diesel engine?',
    'What should I do when the pump leaks and is hot?',
    'Which plan has support and is the cheapest?',
    'Who founded the company and is now retired?',
    'Welche Boote sind schnell und kann man mieten?',
    'Welche Pumpe ist leise und ist der Testsieger?',
    'Quels bateaux ont un moteur et qui sont rapides ?',
  ])
    expect(asked(question)).toEqual([[question, question]]);
});

test('adds the subject of a follow-up to each part', () => {
  const question = 'What does it cost and who sells pumps?';
  expect(asked(`Which pump is it? ${question}`, question).map(([query]) => query)).toEqual([
    'Which pump is it? What does it cost?',
    'Which pump is it? who sells pumps?',
  ]);
});

test('takes the last of several questions, and its subject without measure words', () => {
  expect(subjectTerms('How long does a refund take?')).toEqual(['refund']);
  expect(lastQuestion('What does it cost? And how long does it take?')).toBe('And how long does it take?');
  expect(withoutMeasure('How long is the long hose?')).toBe('How is the long hose?');
});

test('ignores a remark after a question, but not a request or a follow-up without a question mark', () => {
  const whole = 'How long is the warranty?';
  for (const remark of [
    'Thanks in advance.',
    'thanks',
    'Please answer in one sentence.',
    'I bought it in May.',
    'Danke!',
    'bitte kurz',
    's’il vous plaît',
    'por favor',
  ])
    expect(lastQuestion(`${whole} ${remark}`), remark).toBe(whole);
  for (const more of ['Explain E05.', 'and for commercial use', 'Please tell me why.', 'And how often'])
    expect(lastQuestion(`${whole} ${more}`), more).toBe(more);
  expect(lastQuestion('Thanks.')).toBe('Thanks.');
});

test('excludes question words from the topic, unless there are no other words', () => {
  expect(topicTerms('Welche Sicherung muss ich prüfen?')).toEqual(['sicherung', 'prufen']);
  expect(topicTerms('Wie lange gilt die Garantie?')).toEqual(['gilt', 'garanti']);
  expect(topicTerms('Quelle pompe faut-il remplacer ?')).toEqual(['pomp', 'remplac']);
  expect(topicTerms('¿Cuánto cuesta la bomba?')).toEqual(['cuesta', 'bomba']);
  expect(topicTerms('Which die must I use?')).toContain('die');
  expect(topicTerms('保修多长时间？')).toEqual(['保修']);
  expect(topicTerms('酒吧有停车位吗？')).toContain('酒吧');
  expect(topicTerms('吗啡贵吗？')).toEqual(topicTerms('吗啡贵'));
  expect(topicTerms('可可以及咖啡').join('')).toContain('可可');
  expect(topicTerms('多少钱？').length).toBeGreaterThan(0);
  expect(subjectTerms('How long is the long hose?')).toEqual(['long', 'hose']);
  expect(subjectTerms('Wie lange gilt die Garantie?')).toEqual(['gilt', 'garanti']);
});

test.each([
  ['why?', true],
  ['Why is that so?', true],
  ['Tell me more about it.', true],
  ['Warum denn?', true],
  ['Pourquoi ?', true],
  ['¿Por qué?', true],
  ['为什么？', true],
  ['Why is the gate locked?', false],
  ['And how long does it take?', false],
  ['And how much is it?', false],
  ['Where is it?', false],
  ['What is this about?', false],
  ['Is it not?', false],
  ['How is it?', false],
  ['¿Qué es?', false],
  ['Und wann ist das?', false],
  ['What is a die?', false],
  ['Und im Winter?', false],
  ['?', false],
])('decides whether a question asks for more: %s, %s', (question, is) => {
  expect(asksForMore(question)).toBe(is);
});
