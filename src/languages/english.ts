import { DATE_WORDS } from '@citekb/documents/dates';
import type { Language } from './language.ts';

// How models say in English that the sources do not answer. An answer may be about documents or data as well, so each pattern requires more than
// such a noun: an article or "provided", and a verb or noun of saying.
const GIVEN = '(?:provided|given|available|supplied|retrieved|quoted|listed|cited|above)';
const THE = `‹(?:(?:the|these|those|this|your|my|any of the|all)(?: (?:${GIVEN}|numbered|following|relevant|other|search|\\p{N}+|two|three))*|${GIVEN}) `;
/** Terms that almost only name the sources of the prompt. */
const PROMPTED = `(?:^sources|${THE}(?:sources?|passages?|contexts?|excerpts?|snippets?|search results?)|‹(?:the |any |this )?information ${GIVEN}|‹(?:the |this )?${GIVEN} (?:documents?|texts?|materials?|documentation|information))›`;
/** Terms for sources, including those that may also be the subject of an answer. */
const SOURCES = `(?:${PROMPTED}|${THE}(?:documents?|texts?|materials?|documentation|knowledge base)›)`;
const SAY =
  '(?:mention|say|specify|specifie|state|answer|address|addresse|discuss|discusse|cover|describe|list|tell|indicate|explain|define|refer)s?';
const HOLD = '(?:contain|include|provide|give)s?';
const NEWS =
  '(?:(?:any|enough|sufficient|specific|relevant|further|direct|explicit|an?|the) )*(?:information|details?|mention|answer|reference to|anything about)';
const NOT =
  "(?:,? (?:provided|given|available|above|listed|supplied|here|i|you|we|that|for|from|at|in|shown|quoted|themselves)\\b…)? (?:\\p{L}+ly )?(?:do not|does not|did not|don't|doesn't|didn't|cannot|can't|can not|could not)(?: \\p{L}+ly| appear to| seem to)?";
/** What follows a word for missing information, so that "information desk" does not count. */
const MISSING = `(?= (?:about|on|of|for|to|that|as|whether|how|what|where|who|when|why|regarding|concerning|related|relating|in|from|here|${GIVEN})›|[,.!]|$)`;

const REFUSALS = [
  `${SOURCES}${NOT} ${SAY}›`,
  `${SOURCES}${NOT} ${HOLD} ${NEWS}›`,
  `${PROMPTED}${NOT} ${HOLD}›`,
  `${SOURCES} (?:have|has|${HOLD}) (?:no|not any|not enough|insufficient) (?:(?:relevant|specific|such|further|direct) )*(?:information|details?|mention|answer|reference to)${MISSING}`,
  `‹(?:none|neither|nothing) (?:of|in) ${SOURCES} …(?:${SAY}|${HOLD}|about|relevant)›`,
  `‹i(?:'m| am| was)? (?:sorry,? )?(?:unable to|not able to|could not|couldn't|can't|cannot|can not|did not|didn't|do not|don't) (?:find|locate|answer|determine|see any (?:information|mention|reference))›`,
  `‹we (?:were unable to|could not|couldn't|did not|didn't) (?:find|locate|determine)›`,
  `‹i (?:do not|don't) know›`,
  `‹i (?:do not|don't) have (?:(?:any|enough|sufficient|specific|that|further) )*(?:information|details?)${MISSING}`,
  `‹i (?:do not|don't) have (?:enough|sufficient) (?:context|data)${MISSING}`,
  `‹(?:there is|there's|there are|there was) (?:no|not any|not enough|insufficient)(?: \\p{L}+)? (?:information|mention|details?|answer|indication|reference to)${MISSING}`,
  `‹(?:there is|there's|there are|there was) (?:no|not any|not enough|insufficient|nothing)›…‹(?:in|from) ${PROMPTED}`,
  `‹no (?:(?:relevant|specific|such|further) )*(?:information|mention|details?|answer|reference)s?${MISSING}…(?:‹(?:is|was|were|are|could be) (?:found|available)›|‹(?:in|from|by) ${SOURCES})`,
  `‹no (?:(?:relevant|specific|such|further) )*(?:information|mention|details?|answer|reference)s? (?:(?:is|was|were|are|could be) )?(?:found|available)›`,
  `‹no (?:(?:relevant|specific|such|further|provided|given) )*(?:source|passage|document|excerpt)s? …(?:contain|mention|answer|describe|discusse?|addresse?)s?›`,
  `‹(?:is|are|was|were)(?: not|n't) (?:mentioned|specified|stated|covered|discussed|described|addressed|answered|defined|explained|found)(?: anywhere)? (?:in|by|from) ${SOURCES}`,
  `‹(?:is|are|was|were)(?: not|n't) (?:provided|included|contained|given|available|listed)(?: anywhere)? (?:in|by|from) ${PROMPTED}`,
  `^not (?:mentioned|specified|stated|found|answered|contained|covered|available|given)? ?(?:in|by) ${SOURCES}`,
];

const ONES = 'one two three four five six seven eight nine'.split(' ');
const BELOW_TWENTY = `zero ${ONES.join(' ')} ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen`.split(' ');
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const DOCUMENTS = '(?:documents?|docs|files|sources|pages|papers|manuals|materials|documentation)';
const BASE = '(?:this|the|your) (?:knowledge base|collection|database|index|library|base)';
const SOURCE_QUESTIONS = [
  `(?:what|which) (?:kinds? of )?${DOCUMENTS} (?:do|can) you (?:have|know|know about|search|use|read|hold|store|have access to|have stored)(?: here| stored| available| in ${BASE})*`,
  `(?:what|which) ${DOCUMENTS} (?:are|is) (?:there|stored|available|indexed|loaded|included|known|in ${BASE})(?: here| stored| available| indexed| in ${BASE})*`,
  `(?:what|which) ${DOCUMENTS} have you (?:got|read|stored|indexed)(?: here)?`,
  `what are your ${DOCUMENTS}`,
  `(?:list|show|name|give)(?: me)?(?: a list of)?(?: all)?(?: of)?(?: the| your| these| stored| available)* ${DOCUMENTS}(?: here| (?:that )?(?:you have|are stored|are available|are there|stored here)| in ${BASE})*`,
  `what(?: is|s) (?:stored |there )?in ${BASE}`,
  'what (?:can i ask(?: you)?(?: about)?|topics do you (?:cover|know|know about))',
];

/** English. */
export const english: Language = {
  code: 'en',
  marks: {
    functionWords:
      'a an the is are was were do does did can could should would will have has what which who whose where when why how much many of to for from with about in on at my your this that there it its me us some any and or not please tell explain',
    beginnings: 'how what when where who why which',
  },
  smallTalk: {
    greeting: [
      'hello|hi|hey|hiya|howdy|hello hello|good morning|good afternoon|good evening|good day|greetings|morning|evening|yo|whats up|sup|how are you|how are you doing|how are you today|hows it going|how do you do|nice to meet you|pleased to meet you|👋',
      'Hello! What would you like to know?',
    ],
    thanks: [
      'thanks|thank you|thankyou|thx|ty|tysm|many thanks|cheers|much appreciated|i appreciate it|appreciated|thats very kind|thats kind|thanks for your help|thank you for your help|thanks for the help|thank you for the help|that helped|that was helpful|that helps|very helpful|thank u|thnx|thanx|tks|tnx|no thanks|no thank you|🙏',
      'You are welcome!',
    ],
    farewell: [
      'bye|goodbye|good bye|bye bye|byebye|see you|see you later|see ya|see you soon|see you tomorrow|later|talk to you later|ttyl|cya|farewell|good night|goodnight|take care|have a nice day|have a good day|have a great day|have a good one|have a nice weekend|thats all|that is all|no thats all|no that is all|thats it|that is it|until next time|im done|i am done',
      'Goodbye!',
    ],
    acknowledgement: [
      'ok|okay|okey|k|kk|got it|i see|alright|all right|understood|great|perfect|cool|nice|fine|good|very good|sounds good|makes sense|that makes sense|noted|sure|right|i understand|excellent|awesome|wonderful|lovely|fair enough|roger|roger that|will do|gotcha|amazing|fantastic|brilliant|super|good to know|no problem|no worries|👍|👌',
      'Good. Ask whenever you want to know more.',
    ],
  },
  fillers:
    'there|indeed|all|everyone|everybody|team|folks|guys|again|so much|very much|a lot|a bunch|a million|for now|then|sir|madam|my friend|dear|and|oh|ah|well',
  messages: {
    nothing: 'The sources do not answer this.',
    no_more: 'The sources say no more about this.',
    narrower:
      'I found nothing that clearly answers this. Could you ask for something narrower, or name the product, document or term that you mean?',
    refused: 'I cannot answer this: nothing in the knowledge base supports an answer well enough.',
    part: 'The sources do not answer “{part}?”.',
    written_in: 'The sources are in {language}.',
    uncited: 'Low confidence: the answer cites no source.',
    unsupported: 'Low confidence: the cited sources do not support all of it.',
    uncertain: 'Low confidence: this may not be the answer, or not all of it.',
    little: 'Low confidence: the collection holds little about this.',
    see_also: 'See also:',
  },
  sourceList: {
    asked: SOURCE_QUESTIONS.join('|'),
    heading: 'The knowledge base holds these documents ({count}):',
    more: '… and {count} more.',
    empty: 'The knowledge base holds no documents yet.',
  },
  questions: {
    openings: 'tell|explain|describe|show|list|give|name|compare|what|which|how|why|when|where|who',
    courtesies: 'please|thanks|thank you|cheers|ok',
    measure:
      /(?<!\p{L})(?<word>how) (?:long|often|much|many)(?!\p{L})|(?<=how long (?!\p{L}{2,4} (?:it|this|that|they) ).{1,80}) takes?(?=\P{L}*$)/giu,
    figures: String.raw`how (?:many|much|large|big|long|often|high|deep|far|tall|heavy|old|early|late|warm|soon|fast)|when (?:is|are|do|does|did|can|may|must|should|will|was|were)|(?:what|which)›.{0,20}‹(?:time|size|number|port|value|limit|year|price|cost|amount|temperature|pressure|date|percent)\p{L}*|(?:cost|price|default)s?`,
    figureWords: 'free|half',
    times: 'how (?:long|soon|often|old)|what time|(?:until|till|since) when|when (?:do|does|did|is|are|was|were|will|can|may|must)',
    timeUnits: 'm?s|milliseconds?|sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|nights?|weeks?|months?|years?|decades?|century|centuries',
    values: String.raw`defaults?|how (?:many|much|large|big|long|often|high|deep)|max(?:imum)?|min(?:imum)?|limit|size|(?:what|which|after) .{0,30}‹(?:size|number|port|value|limit)`,
    listing: 'change[sd]?|change ?log|release[sd]?|versions?|news?|added|removed|since|contents|index|list of|pages?',
    meaning:
      /^\P{L}*(?:(?:and|so)\s+)?what(?:['’]s|\s+(?:is|are|was|were|does|do))\s+(?<what>\S.*?)(?:(?<!\s)\s+(?:mean|stand for|do|good for|used for|for|exactly)){0,3}$/iu,
    aspects: 'difference|default|maximum|minimum|max|min|limit|size|number|port|value|purpose',
    introductions: 'introduction|intro|overview|description|about|summary|synopsis|preface',
    compares: [
      /\bdiffer(?:ence|ences|ent)? (?:is there )?between (?<one>.{1,200}?) and (?<other>.{1,200})$/iu,
      /^how (?:do|does|are|is) (?<one>.{1,200}?) (?:and (?<other>.{1,200}?) differ|(?:differ|different) from (?<from>.{1,200}))$/iu,
      /^(?<one>.{1,200}?) (?:vs\.?|versus) (?<other>.{1,200})$/iu,
      /^(?<one>.{1,200}?) or (?<other>[^,:;–—]{1,200})[,:;–—].{0,200}\bdiffer/u,
    ],
    locatives: 'in|on|with|for|of',
    // a verb begins a second question only before a certain subject: "… and have a diesel engine?" and "… and is the cheapest?" do not begin one
    joint:
      /(?:,|(?<!\s))\s+and\s+(?=(?:(?:how|what|when|where|who|whom|which|why)\b|(?:to|in|at|from|for|on|by|with|of|until|since)\s+(?:how|what|when)\b|(?:do|does|did)\b|(?:is|are|has|have|can|could|will|would|must|may|should)\s+(?:i|you|he|she|it|we|they|there|this|these|those|my|your|our|their)\b|(?:can|could|will|would|must|may|should)\s+the\b))/i,
  },
  followUps: {
    conjunctions: 'and|or|but|so|then|also|what about|how about',
    askingOn: 'why|since when',
    pronouns: 'it|they|them|its|their|he|she',
    pointers: 'the latter|theirs|this|that|these|those|him|his|her|hers|(?:use|need|get|have|want|make|create|is|are) ones?(?=[?.! ]*$)',
    adverbs: 'there|then|meanwhile|instead|otherwise',
    prepositions: 'to|in|at|from|for|on|by|with|of|until|till|since',
    articles: 'the',
    asking: 'what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|if',
    verbs: 'am|is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|means?',
    vague: 'get take need cost use work go make have want help happen much many long often high big',
    more: 'so anything else more further again detail details exactly really go on continue',
    reasons: 'why',
    asksElse: 'when where who whom whose which much many often',
  },
  models: {
    refusals: REFUSALS,
    contrasts: 'but|however|although|though|instead|while|whereas|except|still|yet|only',
    politeness:
      "please|sorry|apologies|i apologi[sz]e|i'm (?:sorry|afraid)|i am (?:sorry|afraid)|unfortunately|if you (?:have|can|could|need|want|would|provide|share|tell|give)|feel free|let me know|you (?:may|might|could) (?:want|wish|try|check|consult|ask|contact)|try |for (?:more|further)|i(?:'d| would) (?:recommend|suggest)",
    queries: 'query|question',
    remarks: 'explanation|note|reason(?:ing)?|rationale|this (?:query|question)',
    excuses:
      "(?:i['’]m|i am) (?:so |very )?sorry|sorry,|i apologi[sz]e|i (?:can(?:no|['’])t|am unable to) (?:help|assist|answer|provide|rewrite|rephrase|comply|do|fulfil)|as an ai",
  },
  sentences: {
    abbreviations:
      'Mr Mrs Ms Dr Prof St Mt Jr Sr Rev Gen Col Capt Lt Sgt Gov Sen Rep Hon vs etc cf approx No Fig Figs Eq Sec Ch Vol pp p ed eds al Inc Ltd Co Corp e.g i.e Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec',
    softAbbreviations: 'max min art',
    openers: 'The There They This That These Those When For And But Our Her His You',
  },
  numbers: [...BELOW_TWENTY, ...TENS.flatMap((ten) => [ten, ...ONES.map((one) => `${ten}-${one}`)])],
  ...DATE_WORDS.english,
};
