/** Words that the rules would get wrong, with their stems. */
const IRREGULAR = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
);
const INVARIANT = new Set(['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes']);
const INVARIANT_SINGULARS = new Set(['inning', 'outing', 'canning', 'herring', 'earring', 'evening', 'proceed', 'exceed', 'succeed']);

/** Suffixes of the second step and their replacements, in the first region; longer ones first. */
const SECOND_STEP: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
];
const THIRD_STEP: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const FOURTH_STEP = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|(?<=[st])ion)$/;

const VOWEL = /[aeiouy]/;
const SHORT_SYLLABLE = /(?:^|[^aeiouy])[aeiouy][^aeiouywxY]$|^[aeiouy][^aeiouy]$|^past$/;

/** Finds the start of a region: after the first consonant that follows a vowel. */
function regionStart(word: string, start: number): number {
  for (let i = start + 1; i < word.length; i++) if (VOWEL.test(word[i - 1]!) && !VOWEL.test(word[i]!)) return i + 1;
  return word.length;
}

const withoutPlural = (word: string): string => {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies') || word.endsWith('ied')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word;
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
};

function withoutPast(word: string, first: number): string {
  const complete = /eed(?:ly)?$/.exec(word);
  if (complete) return complete.index >= first ? word.slice(0, complete.index + 2) : word;
  const ending = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!ending || !VOWEL.test(word.slice(0, ending.index))) return word;
  const rest = word.slice(0, ending.index);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?<!^[aeo])(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1);
  return first >= rest.length && SHORT_SYLLABLE.test(rest) ? `${rest}e` : rest;
}

function replaceSuffix(word: string, table: readonly (readonly [string, string])[], region: number): string {
  const row = table.find(([ending]) => word.endsWith(ending));
  if (!row) return word;
  const at = word.length - row[0].length;
  return at >= region ? word.slice(0, at) + row[1] : word;
}

function secondStep(word: string, first: number): string {
  const changed = replaceSuffix(word, SECOND_STEP, first);
  if (changed !== word || SECOND_STEP.some(([ending]) => word.endsWith(ending))) return changed;
  if (word.endsWith('logist')) return word.length - 5 >= first ? word.slice(0, -3) : word;
  if (word.endsWith('logi')) return word.length - 3 >= first ? word.slice(0, -1) : word;
  return /[cdeghkmnrt]li$/.test(word) && word.length - 2 >= first ? word.slice(0, -2) : word;
}

function thirdStep(word: string, first: number, second: number): string {
  if (word.endsWith('ative')) return word.length - 5 >= second ? word.slice(0, -5) : word;
  return replaceSuffix(word, THIRD_STEP, first);
}

function lastSteps(word: string, first: number, second: number): string {
  const ending = FOURTH_STEP.exec(word);
  const short = ending && ending.index >= second ? word.slice(0, ending.index) : word;
  const rest = short.slice(0, -1);
  if (short.endsWith('e') && (rest.length >= second || (rest.length >= first && !SHORT_SYLLABLE.test(rest)))) return rest;
  return short.endsWith('ll') && rest.length >= second ? rest : short;
}

/**
 * The stem of an English word in lower case: Porter's second algorithm ("English" of the Snowball project,
 * https://snowballstem.org/algorithms/english/stemmer.html), without its treatment of apostrophes.
 */
export function stem(word: string): string {
  if (word.length < 3 || INVARIANT.has(word)) return word;
  const irregular = IRREGULAR.get(word);
  if (irregular) return irregular;
  const marked = word.replace(/^y|(?<=[aeiouy])y/g, 'Y'); // a y that is a consonant
  const special = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(marked);
  const first = special ? special[0].length : regionStart(marked, 0);
  const second = regionStart(marked, first);
  let stemmed = withoutPlural(marked);
  if (INVARIANT_SINGULARS.has(stemmed)) return stemmed;
  stemmed = withoutPast(stemmed, first).replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  stemmed = thirdStep(secondStep(stemmed, first), first, second);
  return lastSteps(stemmed, first, second).replaceAll('Y', 'y');
}
