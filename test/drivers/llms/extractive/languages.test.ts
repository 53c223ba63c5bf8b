import { expect, test } from 'vitest';
import { sentencesOf } from '../../../../src/drivers/llms/extractive/sentences.ts';
import { answering, at, sourcesOf } from './answering.ts';

const codes = `| Code | Bedeutung | Abhilfe |
|---|---|---|
| E11 | Durchfluss zu gering | Filter reinigen |
| E24 | Fühler defekt | Fachbetrieb rufen |
| E31 | Abtauung zu lang | Verdampfer von Eis befreien |`;
const manual = sourcesOf(
  ['Wärmepumpe Nordwind › Störungen', `${codes}\n\nWenn das Display dunkel bleibt, prüfen Sie die Sicherung F3.`],
  [
    'Wärmepumpe Nordwind › Heizkurve einstellen',
    '1. Drücken Sie die Taste Menü.\n2. Wählen Sie Heizkreis und dann Heizkurve.\n3. Bestätigen Sie mit OK.',
  ],
  ['Wärmepumpe Nordwind › Garantie', 'Die Garantie beträgt fünf Jahre ab Inbetriebnahme. Schäden durch Frost sind ausgeschlossen.'],
);
const german = async (question: string) => (await answering(question, manual)).answer;
const far = { embedder: at(0.35) };

test('a German question with «Was» is none for yes or no: the row with the code answers it', async () => {
  for (const question of ['Was bedeutet E24?', 'Was ist E24?', 'Was macht man bei E24?', 'Was tun bei E24?', 'Wofür steht E24?'])
    expect(await german(question), question).toBe('Code: E24; Bedeutung: Fühler defekt; Abhilfe: Fachbetrieb rufen [1]');
  const fares = sourcesOf(['Fähren', '| Ort | Preis | Dauer |\n|---|---|---|\n| Bodø | 90 EUR | 9 h |\n| Narvik | 70 EUR | 7 h |']);
  expect((await answering('Was kostet Bodø?', fares)).answer).toBe('Ort: Bodø; Preis: 90 EUR; Dauer: 9 h [1]');
});

test('steps are for German questions that ask how to, and not for all with «wie»', async () => {
  const steps = '1. Drücken Sie die Taste Menü.\n2. Wählen Sie Heizkreis und dann Heizkurve.\n3. Bestätigen Sie mit OK. [2]';
  expect(await german('Wie stelle ich die Heizkurve ein?')).toBe(steps);
  for (const question of ['Wie viel kostet die Wärmepumpe?', 'Wie laut ist die Wärmepumpe?', 'Was kostet die Heizkurve der Wärmepumpe?'])
    expect(await german(question), question).not.toContain('Drücken Sie');
});

test('what says how a German question is asked is not missing where it does not stand in the source', async () => {
  const fuse = await answering('Welche Sicherung muss ich prüfen?', manual, far);
  expect(fuse.answer).toContain('Wenn das Display dunkel bleibt, prüfen Sie die Sicherung F3.');
  expect(await german('Welche Sicherheitsschuhe muss ich tragen?')).toMatch(/^\[0\]/);
  const duration = await answering('Wie lange gilt die Garantie?', manual);
  expect(duration.answer).toContain('fünf Jahre');
  expect(duration.unsure).toBe(false);
});

test('a German sentence does not end at a shortened number', () => {
  expect(sentencesOf('Das kostet 30 Mio. Euro im Jahr. Es dauert.')).toEqual(['Das kostet 30 Mio. Euro im Jahr.', 'Es dauert.']);
});

test.each([
  ['Bis wann muss die Kündigung eingehen?', 'Die Kündigung muss schriftlich bis zum 30. September eingehen.'],
  ['Wann bleibt die Werkstatt geschlossen?', 'Vom 24. Dezember bis 2. Januar bleibt die Werkstatt geschlossen.'],
  ['Wo singt der Chor?', 'Der Chor singt im 2. Stock.'],
  ['Wo spielt die Mannschaft?', 'Die Mannschaft spielt z. B. in Kiel.'],
  ['Welche Tel. hat die Praxis?', 'Die Praxis hat die Tel. 0431 1234.'],
  ['Wer wählt nach der Satzung den Vorstand?', 'Den Vorstand wählt nach § 5 Abs. 2 Satz 1 der Satzung die Versammlung.'],
])('a German answer is not cut behind an ordinal or an abbreviation: %s', async (question, sentence) => {
  expect(sentencesOf(`${sentence} Das gilt immer.`)).toEqual([sentence, 'Das gilt immer.']);
  expect((await answering(question, sourcesOf(['Verein', `${sentence} Das gilt immer.`]), far)).answer).toContain(sentence);
});

test('an English sentence ends at a number', () => {
  expect(sentencesOf('It was built in 1990. The next came later. There were 12. The others left.')).toHaveLength(4);
});

const purifier = sourcesOf(
  ['青禾 A3 › 滤网', '滤网每六个月更换一次。更换滤网前必须先拔掉电源插头。滤网不可水洗。新滤网的价格为 199 元。'],
  ['青禾 A3 › 客服', '客服电话为 400-820-5566，工作时间为周一至周五上午九点到下午六点。'],
  ['青禾 A3 › 保修', '整机保修两年，电机保修五年。保修从购买之日算起，需要提供发票。'],
);
const chinese = async (question: string) => (await answering(question, purifier)).answer;

test('the words that ask in Chinese do not outweigh what is asked about', async () => {
  expect(await chinese('保修多长时间？')).toContain('整机保修两年');
  expect(await chinese('保修多长时间？')).not.toContain('工作时间');
  expect(await chinese('滤网可以水洗吗？')).toContain('滤网不可水洗。');
  expect(await chinese('滤网多少钱？')).toContain('199 元');
});

test('a Chinese question on another subject, or for a price that is nowhere, is declined', async () => {
  for (const question of ['法国的首都是哪里？', '谁发明了电话机？']) expect(await chinese(question), question).toMatch(/^\[0\]/);
  const unpriced = sourcesOf(['青禾 A3 › 滤网', '滤网每六个月更换一次。']);
  expect((await answering('滤网多少钱？', unpriced)).answer).toMatch(/^\[0\]/);
});

test('Chinese sentences stand together without a blank', async () => {
  const text = '过滤器每九十天更换一次。更换过滤器之前请关闭阀门。';
  const { answer } = await answering('更换过滤器之前关闭阀门，过滤器每九十天更换一次吗？', sourcesOf(['手册', text]));
  expect(answer).toBe(`${text} [1]`);
});
