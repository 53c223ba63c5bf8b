/** Languages that are told by their letters, in the order in which they are looked for: what shares an alphabet is told by the letters that it alone has. */
const LETTERS: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['bn', /\p{Script=Bengali}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['ar', /\p{Script=Arabic}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
];

/** The share of a question's letters from which its script tells the language; the rest may be names and codes. */
const LEAST_SHARE = 0.3;

/** Letters within a script that the languages in its first line do not have. */
const WITHIN: Readonly<Record<string, readonly (readonly [language: string, letter: RegExp])[]>> = {
  ar: [
    ['ur', /[ٹڈڑےںہھ]/u],
    ['fa', /[پچژگکی]/u],
  ],
  ru: [
    ['uk', /[іїєґ]/iu],
    ['ru', /[ыэё]|(?:^|\s)(?:что|где|когда|почему|сколько|кто|это|или|чем|для)(?=\s|[?!.,]|$)/iu],
    ['bg', /(?:^|\s)(?:какво|къде|кога|защо|колко|кой|коя|ли|се|са|със|трябва|за)(?=\s|[?!.,]|$)/iu],
  ],
};

/** Words that hardly any question does without: how it asks, articles, forms of «to be». What several languages share counts for each. */
const WORDS: Readonly<Record<string, string>> = {
  en: 'a an the is are was were do does did can could should would will have has what which who whose where when why how much many of to for from with about in on at my your this that there it its me us some any and or not please tell explain',
  de: 'der die das den dem des ein eine einen einem einer ist sind war waren wird werden wurde wurden hat haben hatte kann können muss müssen soll darf was wer wie wo wann warum wieso weshalb welche welcher welches welchem welchen womit wofür wozu woran wohin woher wieviel viele viel kostet heißt bedeutet gibt es ich man wir sie mein und oder nicht für mit von zu zum zur vom im am bei auf aus nach ohne über sich',
  fr: 'le la les un une des du de est sont était quel quelle quels quelles que qui quoi où quand comment pourquoi combien je tu on nous vous il elle mon ma votre peut dois doit faut coûte ce cette ces dans pour avec sur sans par et ou ne pas au aux',
  es: 'el la los las un una unos unas es son está están era qué quién quiénes cuál cuáles dónde cuándo cómo cuánto cuánta cuántos cuántas cuesta puedo puede debo hay mi su para con por de del en sin sobre y o no se al',
  it: 'il lo la i gli le un uno una è sono era che cosa chi quale quali dove quando come perché quanto quanta quanti quante costa posso può devo deve si mio per con di del della dei delle nel nella al alla e o non su senza',
  pt: 'o a os as um uma é são está estão era que quem qual quais onde quando como quanto quantos quantas custa posso pode devo há meu minha para com por de do da dos das no na em sem sobre e ou não se ao à porque',
  nl: 'de het een is zijn was waren wordt worden kan kunnen moet moeten mag wat wie waar wanneer waarom hoe hoeveel welke welk kost betekent ik je u we mijn uw voor met van naar in op bij zonder over en of niet dit dat deze er',
  pl: 'jest są był co kto gdzie kiedy dlaczego jak ile który która które jaki jaka jakie czy mogę można należy trzeba się dla z ze w we na do od o i lub nie to ten mój ma',
  cs: 'je jsou byl co kdo kde kdy proč jak kolik který která které jaký jaká jaké mohu můžu lze musím se pro s v ve na do od o a nebo ne to ten můj stojí jsem',
  sk: 'je sú bol čo kto kde kedy prečo ako koľko ktorý ktorá ktoré aký aká aké môžem musím sa pre s v vo na do od o a alebo nie to ten môj stojí som',
  hr: 'je su bio što tko gdje kada kad zašto kako koliko koji koja koje kakav mogu može moram se za s sa u na do od o i ili ne to taj moj li treba',
  sv: 'en ett den det de är var vad vem vilken vilket vilka varför när hur mycket många kan måste ska får kostar jag man vi min för med av till i på från utan om och eller inte som',
  da: 'en et den det de er var hvad hvem hvilken hvilket hvilke hvor hvorfor hvornår hvordan meget mange kan skal må koster jeg man vi min for med af til i på fra uden om og eller ikke som',
  fi: 'on ovat oli mikä mitä missä milloin miksi miten kuinka kuka paljonko montako voiko voinko pitää täytyy saa minun ja tai ei se tämä että joka kanssa',
  tr: 'ne kim nerede nasıl neden niçin kaç hangi zaman mi mı mu mü ve veya için ile bir bu şu olan var yok değil kadar nedir',
  vi: 'là gì ai ở đâu khi nào tại sao vì thế bao nhiêu có không được của cho và hoặc với một các những này cái tôi như',
  id: 'apa apakah siapa di mana kapan mengapa kenapa bagaimana berapa yang adalah ini itu dan atau untuk dengan dari ke saya tidak bisa dapat harus pada',
  hu: 'a az egy mi ki hol mikor miért hogyan hogy mennyi hány melyik milyen van vannak lehet kell nem és vagy ez mennyibe kerül',
  ro: 'este sunt era ce cine unde când cum cât câtă câți câte care pot poate trebuie se un o pentru cu de la în din pe și sau nu mea meu costă',
  ca: 'el la els les un una és són què qui quin quina quins quines on quan com quant quanta costa puc pot cal hi ha per amb de del en sense i o no es al',
  sw: 'ni nini nani wapi lini kwa je vipi ngapi gani ya wa za na au katika hii hiyo kuhusu namna',
  tl: 'ano sino saan kailan bakit paano ilan magkano alin ang ng mga sa ay na at o ba para hindi ito may',
};

/** Marks and letters that one of these languages has and the others do not. */
const MARKS: readonly (readonly [language: string, mark: RegExp])[] = [
  ['es', /[¿¡]/u],
  ['de', /ß/u],
  ['hu', /[őű]/u],
  ['vi', /[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/u],
];

/** Small words that are words or parts of names in English, too: they tell nothing. */
const TELLS_NOTHING = new Set(
  'die man per over ten era son pot sale los las la el le de du des den del con pro par plus sur mag gem han min van mi me no so do to a i an in on is was as at be'.split(
    ' ',
  ),
);

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that may stand before the first word of a question. */
const GOING_ON = setOf('and or but und oder aber et ou mais y o pero e ma mas en maar danke thanks merci gracias grazie obrigado ok');

/** Words that questions begin with: there they tell more than elsewhere. What several languages share counts for each. */
const BEGINNINGS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: setOf('how what when where who why which'),
  de: setOf('wie wo wann warum wieso weshalb wer wen wem was welche welcher welches wieviel'),
  fr: setOf('comment combien quand pourquoi où quel quelle quels quelles'),
  es: setOf('cómo cuándo cuánto cuánta cuántos cuántas dónde quién cuál qué'),
  it: setOf('dove perché quanto quanti quante quale quali quando cosa chi'),
  pt: setOf('como onde quanto quantos quantas qual quais quando quem porque'),
  nl: setOf('hoe waar wanneer waarom wie wat welke hoeveel'),
};

/** A beginning that other languages have, too: it only tells beside a word of the one that it stands for here. */
const SHARED_BEGINNING = 'was';

/** What only tells between languages that other words speak for alike. */
const LEANS: Readonly<Record<string, ReadonlySet<string>>> = {
  de: setOf('die lange dauert kostet teuer wird kommt geht man oft viele'),
  nl: setOf('duur lang kost vaak veel komt gaat kunt'),
};

/** Letters of a word that is enough by itself, where no other language has it. */
const LONG_ENOUGH = 4;

let table: Map<string, string[]> | undefined;

/** The languages of each word. Made at the first question. */
function languagesOf(word: string): readonly string[] {
  if (!table) {
    table = new Map();
    for (const [language, words] of Object.entries(WORDS)) {
      for (const known of words.split(' ')) table.set(known, [...(table.get(known) ?? []), language]);
    }
  }
  return table.get(word) ?? [];
}

/** Whether a word says how is asked and not what about, in this language. */
export const isFunctionWord = (word: string, language: string): boolean => languagesOf(word).includes(language);

/** The words that say how is asked and not what about, in this language; none where they are not known. */
export const functionWords = (language: string): readonly string[] => WORDS[language]?.split(' ') ?? [];

function byLetters(text: string): string | undefined {
  const all = (text.match(/\p{L}/gu) ?? []).length;
  const found = LETTERS.find(([, letters]) => (text.match(letters) ?? []).length >= Math.max(1, LEAST_SHARE * all));
  if (!found) return undefined;
  return WITHIN[found[0]]?.find(([, letter]) => letter.test(text))?.[0] ?? found[0];
}

/** Two words tell, or one long one or a mark that no other language has; the language with most of them. */
function byWords(text: string): string | undefined {
  const counts = new Map<string, number>();
  const words = text.match(/[\p{L}\p{M}]+/gu) ?? [];
  const add = (language: string, by: number) => counts.set(language, (counts.get(language) ?? 0) + by);
  for (const [language, mark] of MARKS) if (mark.test(text)) add(language, 2);
  for (const word of new Set(words)) {
    const languages = TELLS_NOTHING.has(word) ? [] : languagesOf(word);
    for (const language of languages) add(language, languages.length === 1 && word.length >= LONG_ENOUGH ? 2 : 1);
  }
  const first = words.find((word) => !GOING_ON.has(word)) ?? '';
  for (const [language, known] of Object.entries(BEGINNINGS))
    if (known.has(first) && (first !== SHARED_BEGINNING || counts.has(language))) add(language, 1);
  for (const [language, known] of Object.entries(LEANS))
    if (counts.has(language) && words.some((word) => known.has(word))) add(language, 0.5);
  const [best, next] = [...counts].toSorted(([, a], [, b]) => b - a);
  return best && best[1] >= 2 && best[1] > (next?.[1] ?? 0) ? best[0] : undefined;
}

/** Characters from the beginning of a question that its language is told by. */
const LOOKED_AT = 2_000;

/** The language of a question, by its letters and its smallest words; undefined where it can't be told. */
export function languageOf(question: string): string | undefined {
  const text = question.slice(0, LOOKED_AT).normalize('NFC').toLowerCase();
  return byLetters(text) ?? byWords(text);
}
