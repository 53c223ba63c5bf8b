import { lastAsked } from '../../../base/asked.ts';
import { terms } from '../../../base/terms.ts';
import { NUMBER_WORDS } from './number-words.ts';

const NUMBER = String.raw`(?:\d+(?:[.,\u00a0\u202f]\d+)*|${NUMBER_WORDS}|half|an?)`;
const TIME = String.raw`(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?|min|h)`;
const MONEY = String.raw`(?:[$€£¥]|\b(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|cents?|francs?|franken)\b)`;
const SPAN = String.raw`(?<![\p{L}\p{N}])${NUMBER}[\s-]+(?:\p{L}+\s+)?${TIME}(?![\p{L}\p{N}])`;
/** Months with their capital, and May beside a number only: else it is the verb. A number of four digits is a year where it counts nothing. */
const MONTH = String.raw`(?-i:\b(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|Mar(?:ch)?|März|April|June|Juni|July|Juli|Aug(?:ust)?|Sept(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)\b|\b(?:May|Mai)\s+\d|\d(?:st|nd|rd|th|\.)?\s+(?:May|Mai)\b)`;
const YEAR = String.raw`(?<![\p{N}.,$€£-])(?:1\d{3}|20\d{2})s?\b(?![.,]?\d|\s*(?:[%°$€£]|(?:[mck]?m|k?g|m[lg]|l|k?w|v|[km]?hz|mah|rpm|bar|psi|eur|usd|gbp|chf|euros?|dollars?|pounds?|(?:kilo|centi|milli)?(?:met(?:re|er)|lit(?:re|er)|gram)s?|watts?|volts?|seconds?|minutes?|hours?|days?|times?|cups?|people|pieces?)\b))`;
const DATE = String.raw`${YEAR}|${MONTH}|\bcentur(?:y|ies)\b`;
/** What says when without a date. */
const OCCASION = String.raw`\b(?:after|once|when|whenever|as soon as|until|before|every|sobald|wenn|nachdem|bevor|bis|jede[nrs]?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|\d\s*(?:[ap]\.?m\b|o'clock|uhr\b)|\b\d{1,2}:\d{2}\b`;
const value = (pattern: string): RegExp => new RegExp(pattern, 'iu');
const MONEYED = value(String.raw`${MONEY}\s*\d|\d\s*${MONEY}|${NUMBER}\s+${MONEY}`);
/** Figures with such a unit. */
const measured = (units: string): RegExp => value(String.raw`\d\s*(?:${units})(?![\p{L}\p{N}])`);

/** A figure that a question may ask for. */
interface Figure {
  asks: RegExp;
  /** What such a figure looks like. */
  is: RegExp;
  /** Words that say what it is a figure of, one as well as another: who asks what a thing weighs is told its weight. */
  words?: string;
}

/** English and German. */
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
  {
    asks: /^\P{L}*when (?:was|were|did|had)\b|\b(?:what|which|in what|in which) (?:year|date|month|century|decade)\b|^\P{L}*wann (?:war|waren|wurden?|hat|haben)\b/iu,
    is: value(DATE),
  },
  { asks: /^\P{L}*(?:when|wann)\b/iu, is: value(`${DATE}|${OCCASION}`) },
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
export const wantedFigure = (question: string): RegExp | undefined => kindOf(question)?.is;

/** The words, as terms, that name the figure that is asked for: what has one of them has them all. */
export const figureTerms = (question: string): string[] => terms(kindOf(question)?.words ?? '');
