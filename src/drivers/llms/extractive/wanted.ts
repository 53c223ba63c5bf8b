const NUMBER = String.raw`(?:\d+(?:[.,\u00a0\u202f]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\p{L}+)?|hundreds?|thousands?|millions?|billions?|half|an?)`;
const TIME = String.raw`(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|min|h)`;
const MONEY = String.raw`(?:[$€£¥]|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?|francs?|franken)\b)`;
const SPAN = String.raw`(?<![\p{L}\p{N}])${NUMBER}[\s-]+(?:\p{L}+\s+)?${TIME}(?![\p{L}\p{N}])`;
const value = (pattern: string): RegExp => new RegExp(pattern, 'iu');

/** What a question asks for where that is a figure, and what such a figure looks like. English and German. */
const KINDS: { asks: RegExp; is: RegExp }[] = [
  {
    asks: /\bhow long\b|\bhow (?:many|much) (?:seconds|minutes|hours|days|weeks|months|years|time)\b|\bwie lange\b/i,
    is: value(SPAN),
  },
  {
    asks: /\bhow often\b|\bwie oft\b/i,
    is: value(String.raw`${SPAN}|\b(?:every|each|once|twice|daily|weekly|monthly|yearly|annually|jede[rns]?|alle)\b`),
  },
  {
    asks: /\b(?:costs?|prices?|priced|fees?|charges?|charged|expensive|kostet|kosten|preis)\b|\bhow much (?:money|do i pay|does it cost)\b/i,
    is: value(String.raw`${MONEY}\s*\d|\d\s*${MONEY}|${NUMBER}\s+${MONEY}`),
  },
  {
    asks: /^(?:\P{L}*when)\b|\b(?:what|which|in what|in which) (?:year|date|month|century|decade)\b|^\P{L}*wann\b/iu,
    is: /\b1\d{3}s?\b|\b20\d{2}s?\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|april|may|june|july|aug(?:ust)?|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|\bcentur(?:y|ies)\b/iu,
  },
];

/** What is asked now: a follow-up comes behind the questions that it follows. */
export const lastAsked = (question: string): string =>
  question
    .trim()
    .split(/(?<=[?？])\s+/)
    .at(-1)!;

/** What a figure looks like that answers the question; undefined where it asks for something else. */
export function wantedFigure(question: string): RegExp | undefined {
  const asked = lastAsked(question);
  return KINDS.find(({ asks }) => asks.test(asked))?.is;
}

/** A question without the words that only say that a figure is asked for: `long` of «how long» is no word of the subject. */
export const withoutMeasure = (question: string): string => question.replace(/\bhow (?:long|often|much|many)\b/gi, 'how');
