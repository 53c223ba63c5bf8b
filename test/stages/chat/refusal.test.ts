import { expect, test } from 'vitest';
import { isRefusal, mayBeRefusal } from '../../../src/stages/chat/refusal.ts';

const query = 'What is the limit for model X200 on trains?';

test.each([
  'The provided sources do not contain any information about trains.',
  "The sources don't mention a limit for trains.",
  'I could not find anything about trains in the documents.',
  "I couldn't find an answer to this question in the provided sources. Please consult the travel office.",
  "I'm sorry, but the provided context does not specify a limit for trains.",
  'Unfortunately, the documents do not say how much a train may cost.',
  'There is no information about trains in the sources.',
  'No information about trains is available in the given passages.',
  'None of the sources answer this question.',
  'The limit for model X200 is not mentioned in the provided sources.',
  'Based on the provided sources, I cannot determine the limit for trains.',
  'I do not have enough information to answer that. Could you tell me more?',
  'Not found in the sources.',
  '**The sources do not answer this question.**',
  "I don't know.",
  'Die Quellen enthalten keine Angaben zu Bahnreisen.',
  'In den Quellen gibt es keine Informationen über Bahnreisen.',
  'Leider konnte ich in den Quellen nichts dazu finden.',
  'Ich kann diese Frage anhand der Quellen nicht beantworten.',
  'Die Obergrenze für Bahnreisen wird in den Dokumenten nicht genannt.',
  'Dazu steht in den Unterlagen nichts.',
  'Les sources fournies ne contiennent pas d’information sur les trains.',
  "Je n'ai pas trouvé d'information à ce sujet dans les sources.",
  'Désolé, les documents ne mentionnent pas de limite pour les trains.',
  'Aucune des sources ne répond à cette question.',
  'Las fuentes no contienen información sobre los trenes.',
  'No he encontrado información sobre trenes en los documentos.',
  'Lo siento, no puedo responder a esta pregunta con las fuentes disponibles.',
  'Le fonti non contengono informazioni sui treni.',
  'Non ho trovato informazioni sui treni nelle fonti.',
  'As fontes não contêm informações sobre trens.',
  'Não encontrei informações sobre isso nas fontes fornecidas.',
  'De bronnen bevatten geen informatie over treinen.',
  'Ik kon hierover niets vinden in de bronnen.',
  'В источниках нет информации о поездах.',
  'Я не нашёл ответа на этот вопрос в документах.',
  'Źródła nie zawierają informacji o pociągach.',
  'Nie znalazłem informacji na ten temat.',
  'Källorna innehåller ingen information om tåg.',
  '提供的资料中没有提到火车的限额。',
  '资料中未找到相关信息。',
  '提供された資料には列車に関する情報がありません。',
  '제공된 자료에는 기차에 대한 정보가 없습니다.',
])('says that the sources do not answer: %s', (answer) => {
  expect(isRefusal(answer, query)).toBe(true);
  for (let end = 1; end <= answer.length; end++)
    expect([answer.slice(0, end), mayBeRefusal(answer.slice(0, end), query)]).toEqual([answer.slice(0, end), true]);
});

test.each([
  'The sources do not mention a limit for trains, but hotels are limited to 140 euros [1].',
  'The sources do not mention a limit for trains, but hotels have one.',
  'The sources do not mention a limit for trains; hotels have one.',
  'The sources do not mention trains. Hotels are limited to a fixed sum.',
  'The sources do not contain a limit for trains [1].',
  'The documents do not specify a limit of 140 euros.',
  'There is no limit for trains.',
  'No, the warranty does not cover limescale.',
  'You cannot find spare parts at the service centre.',
  'The machine cannot be used without the filter.',
  'We do not have shops in Norway.',
  'No information is needed to pair the machine.',
  'It is not included in the price.',
  'Never use vinegar, because it damages the seals.',
  'I found that the limit is not mentioned for children.',
  'The app does not provide statistics.',
  'The context menu does not offer printing.',
  'The text field does not accept more than a line.',
  'Source code does not contain secrets once the build is done.',
  'Die Garantie deckt keine Kalkschäden.',
  'Die Quellen nennen keine Grenze für die Bahn, Hotels kosten jedoch höchstens eine feste Summe.',
  'Die Maschine enthält keine Batterie.',
  'Nein, das ist nicht erlaubt.',
  'La garantie ne couvre pas le calcaire.',
  'Les sources ne parlent pas des trains, mais les hôtels sont limités.',
  'La garantía no cubre la cal.',
  'Le macchine non contengono batterie.',
  'A garantia não cobre calcário.',
  '保修不包括水垢。',
  '保証には水垢は含まれません。',
  'Not every machine has a filter.',
  '',
  'Sorry!',
  'Please call the support team.',
  `${'The sources do not contain this. '.repeat(20)}`,
])('is an answer: %s', (answer) => {
  expect(isRefusal(answer, query)).toBe(false);
});

test('an answer is known to be none once its first sentence says something', () => {
  expect(mayBeRefusal('The warranty lasts two years. It cov', query)).toBe(false);
  expect(mayBeRefusal('It is 24 months [1]', query)).toBe(false);
  expect(mayBeRefusal('The sources do not mention trains. Hotels are limited. An', query)).toBe(false);
  expect(mayBeRefusal('x'.repeat(500), query)).toBe(false);
});
