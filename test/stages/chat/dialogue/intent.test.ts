import { expect, test } from 'vitest';
import { asksForSources, directReply } from '../../../../src/stages/chat/dialogue/intent.ts';

const direct = {
  greeting: [
    'Hello',
    'hi there!',
    'Good morning',
    'hey :)',
    'Hello, how are you?',
    'Guten Tag!',
    'Bonjour',
    '¡Hola!',
    '你好',
    'Dzień dobry',
    'Привет!',
    'こんにちは',
    '안녕하세요',
    'مرحبا',
    'Merhaba',
    'Olá',
    'Ciao',
    'Hoi',
    '👋',
  ],
  thanks: [
    'Thanks!',
    'thank you so much',
    'thx',
    'Thanks a lot, that helped.',
    'Danke schön',
    'Merci beaucoup',
    'Muchas gracias',
    'Grazie mille',
    'Obrigada',
    'Dank je wel',
    'Dziękuję',
    'Спасибо большое',
    '谢谢！',
    'ありがとうございます',
    '감사합니다',
    'شكرا',
    'Teşekkür ederim',
    'ok, thanks',
  ],
  farewell: [
    'Bye',
    'goodbye!',
    'See you later',
    'bye bye',
    'Tschüss',
    'Au revoir',
    'Adiós',
    'Arrivederci',
    'Tchau',
    'Tot ziens',
    'Do widzenia',
    'До свидания',
    '再见',
    'さようなら',
    '안녕히 가세요',
    'مع السلامة',
    'Güle güle',
    'Thanks, bye!',
  ],
  acknowledgement: [
    'ok',
    'Got it.',
    'I see',
    'Alright',
    'OK, great',
    'understood',
    'Verstanden',
    "D'accord",
    'Vale',
    'Va bene',
    'Entendi',
    'Begrepen',
    'Rozumiem',
    'Понятно',
    '好的',
    'わかりました',
    '알겠습니다',
    'حسنا',
    'Tamam',
    '👍🏽',
  ],
};

test.each(Object.entries(direct))('%s is recognised in many wordings and languages', (intent, messages) => {
  expect(messages.filter((message) => directReply(message)?.intent !== intent)).toEqual([]);
});

test('a question is never swallowed, whatever it begins or ends with', () => {
  const questions = [
    'thanks, and how do refunds work?',
    'Hi! How long is the warranty?',
    'ok but what about delivery to Norway',
    'Hello, error E27 again',
    'How do I say goodbye to my subscription?',
    'Great, and the price of the beans?',
    'Shipping to Norway please, thank you',
    'Danke. How do I descale it?',
    '你好，怎么退款？',
    'ありがとう、保証は何年ですか',
    'Merci, et la garantie ?',
    'Hello world program',
    'okonomiyaki',
    'yes',
    'and you all?',
    '???',
    '',
  ];
  expect(questions.filter((question) => directReply(question) !== undefined)).toEqual([]);
});

const QUESTIONS = [
  'ok?|Right?|sure?|alright?|no problem?|really?|again?|Well?|And then?|👍?|thats it?|K?|好吗',
  'hi, does it work with pods?|thanks!! and also what about shipping|Hello World program?|Hello World|bye-laws',
  'hi-fi|good morning routine|good night mode|ok google|cool down time|super bowl|sup board|Great Britain',
  'cheers volume|Later versions|noted errors|perfect shot|how are you calibrated?',
  'how are you different from a search engine|no problem with the pump?|great, next|ok, go on|ok, 3.|thanks 24|E24',
  '1|no|👋 question: price|See you tomorrow at the service centre|hej support number',
  'Salut, combien coûte la machine?|Merci de me dire le prix|Hola, ¿cuánto cuesta?|Gracias, ¿y en Portugal?',
  'Danke, und wie lange?|Guten Tag, Öffnungszeiten|こんにちは、保証は？|你好世界|Спасибо, а цена?|привет мир|Olá mundo',
  'bom dia, preço?|tack så mycket men priset?|안녕, 가격은?|شكرا، كم السعر|สวัสดี ราคาเท่าไหร่|hvala, a cijena?',
  'köszönöm, és az ár?|und dann|and all',
];

test.each(QUESTIONS.flatMap((line) => line.split('|')))('"%s" is a question', (message) => {
  expect(directReply(message)).toBeUndefined();
});

test.each([
  ...['hello!!!', 'Hellooo', 'hiii', 'heyyy', 'Hello 👋', 'hi 😊', 'How are you?', 'Ça va ?', "what's up?", 'hallo liebes Team'].map(
    (message) => [message, 'greeting'],
  ),
  ...['jó napot', 'Bună ziua!', 'Zdravo', 'Dobrý deň', 'Здравейте', 'Bon dia', 'Habari', 'Magandang umaga', 'سلام', 'สวัสดีครับ', 'নমস্কার'].map(
    (message) => [message, 'greeting'],
  ),
  ...[
    'thanks a bunch!',
    'Thank u',
    'thnx',
    'Dankeee',
    'no, thank you',
    'merci bcp',
    'ty 🙏',
    '🙏🙏',
    'okay, thanks a lot!',
    'vielen Dank für die schnelle Hilfe',
  ].map((message) => [message, 'thanks']),
  ...[
    'köszönöm',
    'mulțumesc',
    'hvala',
    'Ďakujem',
    'благодаря',
    'gràcies',
    'asante sana',
    'salamat po',
    'ممنون',
    'ขอบคุณมากค่ะ',
    'ধন্যবাদ',
    'شکریہ',
  ].map((message) => [message, 'thanks']),
  ...['ok bye', 'byeee', 'no, that is all, thanks', 'Tschüssi', 'Viszlát', 'La revedere', 'Doviđenja', 'Kwaheri', 'خداحافظ', 'ลาก่อน'].map(
    (message) => [message, 'farewell'],
  ),
  ...['OK!', 'okkk', 'gooood', '😊', '❤️', '👍👍', '👏🏽!', 'Rendben', 'U redu', 'Am înțeles', 'sawa sawa'].map((message) => [
    message,
    'acknowledgement',
  ]),
])('"%s" is %s', (message, intent) => {
  expect(directReply(message!)?.intent).toBe(intent);
});

test('the reply is short, and in the language of the message where that is known as a whole, else in English', () => {
  const replies = {
    Hello: /^Hello/,
    'Guten Morgen': /^Hallo/,
    'ok merci': /vous/,
    Gracias: /De nada/,
    谢谢: /You are welcome/,
    Спасибо: /You are welcome/,
  };
  for (const [message, reply] of Object.entries(replies)) {
    expect(directReply(message)!.reply).toMatch(reply);
    expect(directReply(message)!.reply.length).toBeLessThan(80);
  }
});

test('a long message is no small talk', () => {
  expect(directReply('thanks '.repeat(30))).toBeUndefined();
});

test('recognizes questions for the stored documents, in the languages of kb', () => {
  for (const [language, ...questions] of [
    [
      'en',
      'What documents do you have?',
      'Which documents are stored here?',
      'List your sources.',
      'what files do you know',
      'Please show me all the documents!',
      'Hi, what documents are there?',
      "What's in your knowledge base?",
      'What can I ask you about?',
    ],
    [
      'de',
      'Welche Dokumente hast du?',
      'Welche Dateien sind hier gespeichert?',
      'Liste bitte alle Quellen auf',
      'Was ist in der Wissensbasis?',
    ],
    ['fr', 'Quels documents avez-vous ?', 'Listez-moi toutes les sources', "Qu'y a-t-il dans la base de connaissances ?"],
    ['es', '¿Qué documentos tienes?', 'Muéstrame todos los archivos, por favor', '¿Qué hay en la base de conocimiento?'],
  ])
    for (const question of questions) expect([question, asksForSources(question)?.code]).toEqual([question, language]);
  for (const question of [
    'Which documents do I need for a season card?',
    'What documents do you have to bring?',
    'List the files that the installer writes.',
    'Which sources are cited on page 3?',
    'Welche Dokumente brauche ich für die Karte?',
    'What is in the box?',
    'Thanks!',
  ])
    expect([question, asksForSources(question)]).toEqual([question, undefined]);
});
