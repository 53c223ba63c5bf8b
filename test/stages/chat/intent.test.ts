import { expect, test } from 'vitest';
import { directReply } from '../../../src/stages/chat/intent.ts';

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

test('the reply is in the language of the message, and short', () => {
  const replies = {
    Hello: /^Hello/,
    'Guten Morgen': /^Hallo/,
    'ok merci': /vous/,
    谢谢: /不客气/,
    'Dank je': /Graag/,
    Спасибо: /Пожалуйста/,
  };
  for (const [message, reply] of Object.entries(replies)) {
    expect(directReply(message)!.reply).toMatch(reply);
    expect(directReply(message)!.reply.length).toBeLessThan(80);
  }
});

test('a long message is no small talk', () => {
  expect(directReply('thanks '.repeat(30))).toBeUndefined();
});
