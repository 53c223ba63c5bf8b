import { lastAsked } from '../../../base/asked.ts';
import { NUMBER_WORDS } from '../../../base/number-words.ts';
import { terms } from '../../../base/terms.ts';

/** What a text is tried against. */
export type Pattern = Pick<RegExp, 'test'>;

const NUMBER = String.raw`(?:(?<!\d)(?<!\d[.,\u00a0\u202f])\d+(?:[.,\u00a0\u202f]\d+)*|${NUMBER_WORDS}|half|an?|eine?[mnrs]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|hundert)`;
const TIME = String.raw`(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|min|h)`;
const MONEY = String.raw`(?:[$€£¥]|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?|francs?|franken)\b)`;
const SPAN = String.raw`(?<![\p{L}\p{N}])${NUMBER}[\s-]+(?:\p{L}+\s+)?${TIME}(?![\p{L}\p{N}])`;
/** Months with their capital, and May beside a number only: else it is the verb. A number of four digits is a year where it counts nothing. */
const MONTH = String.raw`\b(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|April|June|Juni|July|Juli|Aug(?:ust)?|Sept(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)\b|\b(?:May|Mai)\s+\d|\d(?:st|nd|rd|th|\.)?\s+(?:May|Mai)\b`;
const YEAR = String.raw`(?<![\p{N}.,$€£-])(?:1\d{3}|20\d{2})s?\b(?![.,]?\d|\s*(?:[%°$€£]|(?:[mck]?m|k?g|m[lg]|l|k?w|v|[km]?hz|mah|rpm|bar|psi|eur|usd|gbp|chf|euros?|dollars?|pounds?|(?:kilo|centi|milli)?(?:met(?:re|er)|lit(?:re|er)|gram)s?|watts?|volts?|seconds?|minutes?|hours?|days?|times?|cups?|people|pieces?)\b))`;
const DATE = String.raw`${YEAR}|\bcentur(?:y|ies)\b`;
/** What says when without a date. */
const OCCASION = String.raw`\b(?:after|once|when|whenever|as soon as|until|before|every|sobald|wenn|nachdem|bevor|bis|jede[nrs]?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|\d\s*(?:[ap]\.?m\b|o'clock|uhr\b)|\b\d{1,2}:\d{2}\b|\b(?:at|by|from|till) (?:(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= *(?:[,.;!?)]|and\b|or\b|to\b|in\b|on\b|every\b|$))|noon\b|midnight\b)`;
const value = (pattern: string): RegExp => new RegExp(pattern, 'iu');
/** A date in figures, a month by its name, or what else says when. */
const dated = (further: string): Pattern => {
  const ways = [value(further), new RegExp(MONTH, 'u')];
  return { test: (text) => ways.some((way) => way.test(text)) };
};
const MONEYED = value(String.raw`${MONEY}\s*\d|\d\s*${MONEY}|${NUMBER}\s+${MONEY}`);
/** Figures with such a unit. */
const measured = (units: string): RegExp => value(String.raw`\d\s*(?:${units})(?![\p{L}\p{N}])`);

/** A figure that a question may ask for. */
interface Figure {
  asks: RegExp;
  /** What such a figure looks like. */
  is: Pattern;
  /** Words that say what it is a figure of, one as well as another: who asks what a thing weighs is told its weight. */
  words?: string;
}

/** Numbers in Chinese, with what they count. */
const counted = (units: string): string => String.raw`[\d一二三四五六七八九十百千万两半几]\s*(?:多|余|餘)?(?:个|個)?(?:${units})`;
const CHINESE_MONEY = value(String.raw`${counted('元|块|塊|欧元|歐元|美元|英镑|日元|万元|亿元|亿')}|[¥￥]\s*\d`);

/** English, German and Chinese. */
const KINDS: Figure[] = [
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
    is: MONEYED,
    words: 'cost price fee kosten preis',
  },
  { asks: /多少[钱錢]|价格|價格|价钱|價錢|费用|費用|售价|售價/u, is: CHINESE_MONEY, words: '价格 费用 价钱 售价' },
  { asks: /多久|多[长長](?:时间|時間)|几[年天]|幾[年天]/u, is: value(counted('秒|分|分钟|小时|天|日|周|星期|月|年|鐘|小時|週')) },
  { asks: /多重|重量|重多少|體重|体重/u, is: value(counted('公斤|千克|克|斤|吨|噸|kg|g|t')), words: '重量 多重' },
  {
    asks: /^\P{L}*when (?:was|were|did|had)\b|\b(?:what|which|in what|in which) (?:year|date|month|century|decade)\b|^\P{L}*wann (?:war|waren|wurden?|hat|haben)\b/iu,
    is: dated(DATE),
  },
  { asks: /^\P{L}*(?:when|wann)\b/iu, is: dated(`${DATE}|${OCCASION}`) },
  {
    asks: /\b(?:weighs?|weight|how heavy|heavier|heaviest|wiegt|gewicht|wie schwer)\b/i,
    is: measured('kg|g|t|lbs?|oz|kilos?|(?:kilo)?gram(?:me)?s?|tonnes?|tons?|pounds?|ounces?|gramm|kilogramm|tonnen'),
    words: 'weigh weight heavy heavier gewicht wiegt schwer',
  },
  {
    asks: /\bhow (?:hot|cold|warm)\b|\b(?:what|which|how high)\b.{0,200}\btemperatures?\b|\bwie (?:heiß|kalt|warm)\b/i,
    is: value(String.raw`\d\s*(?:°|degrees?\b|kelvin\b|grad\b)`),
    words: 'hot cold warm temperature',
  },
  { asks: /\bhow much (?:is|are) (?:an?|the|one|it|they)\b/i, is: MONEYED },
  { asks: /\bkilowatt[- ]hours?\b|\bkwh\b/i, is: measured('kwh|kilowatt[- ]hours?') },
  { asks: /\b(?:what|which|how (?:much|high))\b.{0,200}\bpressure\b/i, is: measured('m?bar|psi|[kMh]?pa|atm'), words: 'pressure' },
  {
    asks: /\bhow (?:loud|noisy)\b|\bwie laut\b/i,
    is: measured(String.raw`db(?:\(a\))?|decibels?|dezibel`),
    words: 'loud noise sound laut',
  },
];

const kindOf = (question: string): Figure | undefined => KINDS.find(({ asks }) => asks.test(lastAsked(question)));

/** What a figure looks like that answers the question; undefined where it asks for something else. */
export const wantedFigure = (question: string): Pattern | undefined => kindOf(question)?.is;

/** Asks for a price and for nothing else that may be called one: charges are electric, and costs social. */
const ASKS_PRICE =
  /\b(?:how much|what) (?:does|do|did|would|will)\b.{1,200}\bcosts?\b|\bwhat (?:is|are|was|were) the (?:prices?|costs?)\b|(?<!\p{L})(?:kostet|kosten)\P{L}|(?<!\p{L})welche[nr]? preis|多少[钱錢]/iu;

/** Speaks of prices, whatever they are given in: a column of them need not name a currency. */
const SPEAKS_OF_PRICES = /price|preis|cost|kost|(?<!\p{L})(?:fee|free|gratis|tariff|eur|usd|gbp|chf)|[$€£¥￥]|价|價|元|免费/iu;

/** Whether a question asks what something costs, and a text has neither an amount of money nor a word of prices. English, German and Chinese. */
export function isUnpriced(question: string, text: string): boolean {
  const figure = wantedFigure(question);
  return (
    (figure === MONEYED || figure === CHINESE_MONEY) && ASKS_PRICE.test(question) && !figure.test(text) && !SPEAKS_OF_PRICES.test(text)
  );
}

/** The words, as terms, that name the figure that is asked for: what has one of them has them all. */
export const figureTerms = (question: string): string[] => terms(kindOf(question)?.words ?? '');
