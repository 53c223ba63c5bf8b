import { DATE_WORDS } from '@citekb/documents/dates';
import type { Language } from './language.ts';

// How models say in French that the sources do not answer.
const REFUSALS = [
  `‹(?:sources?|documents?|contexte|extraits?|passages?|textes?|informations? fournies?)›…‹(?:ne |n')(?:\\p{L}+ )?(?:mentionn|précis|indiqu|parl|répond|dis|trait|évoqu|spécifi|abord)\\p{L}*›…‹(?:pas|aucune?|rien)›`,
  `‹(?:sources?|contexte|extraits?|passages?|informations? fournies?)›…‹(?:ne |n')(?:contien|fourni|donn|comport|permet|inclu)\\p{L}*›…‹(?:pas|aucune?|rien)›`,
  `‹(?:documents?|textes?)›…‹(?:ne |n')(?:contien|fourni|donn|comport)\\p{L}* (?:pas|aucune?) (?:d'|de )?(?:information|réponse|précision|détail|indication)s?›`,
  `‹je (?:ne |n')(?:…)(?:pas|rien|aucune?)›…(?:trouv|répon|inform|source|sais|dispose|document)`,
  `‹je n'ai (?:pas|rien) (?:pu )?trouv`,
  `‹je n'ai trouvé aucune?›`,
  `‹aucune? (?:information|source|mention|document|passage|extrait|des (?:sources|documents|extraits|passages))›…(?:‹(?:ne |n')\\p{L}*…(?:trouv|répond|mention|contien|parl|trait|évoqu|disponible)|‹dans (?:les|ces|vos) (?:sources|documents|extraits|passages|textes)›)`,
  `‹il n'y a (?:pas|aucune?|rien)…(?:information|mention|indication)s?›…(?:‹(?:sur|concernant|à ce sujet|dans les)›|$)`,
  `‹il n'y a (?:pas|aucune?|rien)›…‹dans (?:les|ces) (?:sources|extraits|passages)›`,
];

const BELOW_TWENTY =
  'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf'.split(' ');
const SCORES = 'vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt'.split(' ');

/** Writes out a number from 20 to 99: 71 is "soixante et onze", 80 "quatre-vingts", 99 "quatre-vingt-dix-neuf". */
function writeNumber(number: number): string {
  const score = SCORES[Math.floor(number / 10) - 2]!;
  const rest = (number % 10) + (number >= 70 && (number < 80 || number >= 90) ? 10 : 0);
  if (rest === 0) return number === 80 ? `${score}s` : score;
  return rest % 10 === 1 && number < 80 ? `${score} et ${BELOW_TWENTY[rest]!}` : `${score}-${BELOW_TWENTY[rest]!}`;
}

const DOCUMENTS = '(?:documents?|fichiers|sources|pages|manuels)';
const BASE = '(?:cette|la|ta|votre) (?:base de connaissances|collection|base|bibliotheque)';
const SOURCE_QUESTIONS = [
  `quel(?:le)?s ${DOCUMENTS} (?:as tu|avez vous|connais tu|connaissez vous|y a t il|sont)(?: ici| la| disponibles| enregistre(?:e)?s| stocke(?:e)?s| dans ${BASE})*`,
  `(?:liste|listez|montre|montrez|donne|donnez|enumere|enumerez)(?: moi)?(?: tous| toutes)?(?: les| tes| vos) ${DOCUMENTS}(?: ici| disponibles)*`,
  `(?:quy a t il|que contient|quest ce quil y a)(?: dans)? ${BASE}`,
];

/** French. */
export const french: Language = {
  code: 'fr',
  marks: {
    functionWords:
      'le la les un une des du de est sont était quel quelle quels quelles que qui quoi où quand comment pourquoi combien je tu on nous vous il elle mon ma votre peut dois doit faut coûte ce cette ces dans pour avec sur sans par et ou ne pas au aux',
    beginnings: 'comment combien quand pourquoi où quel quelle quels quelles',
  },
  smallTalk: {
    greeting: ['bonjour|bonsoir|salut|coucou|bonjour à tous|comment allez vous|comment ça va|ça va', 'Bonjour ! Que voulez-vous savoir ?'],
    thanks: [
      'merci|merci beaucoup|merci bcp|non merci|merci bien|mille mercis|un grand merci|je vous remercie|je te remercie|merci à vous|merci à toi|merci pour votre aide|merci pour ton aide',
      'Je vous en prie !',
    ],
    farewell: ['au revoir|à bientôt|à plus|à plus tard|à demain|bonne journée|bonne soirée|bonne nuit|adieu|à la prochaine', 'Au revoir !'],
    acknowledgement: [
      "d'accord|dac|compris|je comprends|je vois|entendu|très bien|parfait|ça marche|c'est noté|noté|bien|bien reçu|super|génial|c'est bon",
      "Bien. N'hésitez pas à poser une autre question.",
    ],
  },
  fillers: 'alle|tous|toutes|et',
  messages: {
    nothing: 'Les sources ne répondent pas à cette question.',
    no_more: "Les sources n'en disent pas plus.",
    narrower:
      "Je n'ai rien trouvé qui y réponde clairement. Pouvez-vous préciser la question, ou nommer le produit, le document ou le terme dont il s'agit ?",
    refused: 'Je ne peux pas répondre : rien dans la base de connaissances ne fonde assez bien une réponse.',
    part: 'Les sources ne répondent pas à « {part} ? ».',
    written_in: 'Les sources sont en {language}.',
    uncited: 'Fiabilité limitée : la réponse ne cite aucune source.',
    unsupported: "Fiabilité limitée : les sources citées n'étayent pas tout.",
    uncertain: "Fiabilité limitée : ce n'est peut-être pas la réponse, ou pas toute la réponse.",
    little: 'Fiabilité limitée : la collection contient peu de choses à ce sujet.',
    see_also: 'Voir aussi :',
  },
  sourceList: {
    asked: SOURCE_QUESTIONS.join('|'),
    heading: 'La base de connaissances contient ces documents ({count}) :',
    more: '… et {count} autres.',
    empty: 'La base de connaissances ne contient encore aucun document.',
  },
  questions: {
    openings: String.raw`(?:explique[rz]?|décri(?:s|vez)|montre[rz]?|donne[rz]?|compare[rz]?|comment|pourquoi|combien|quand|où|qui|quoi|quel(?:le)?s?|que|est-ce)(?!\p{L})`,
    courtesies: "merci|s['’]il (?:vous|te) pla[iî]t",
    contentWords: 'coûte',
    stopWords: 'elles ils faire est-ce peut-on faut-il temps',
    measure: /(?<!\p{L})(?<word>combien) de (?:temps|fois)(?!\p{L})/giu,
    figures:
      "combien|quand|à quelle heure|quel(?:le)? (?:est )?(?:le |la |l['’])?(?:prix|taille|taux|nombre|durée|délai|température|pression|date|limite|valeur)|coûtent?|prix|par défaut",
    figureWords: 'gratuit(?:e?s|e)?|demie?',
    times: 'quand|à quelle heure|combien de (?:temps|fois)',
    timeUnits: 'm?s|millisecondes?|secondes?|minutes?|heures?|h|jours?|semaines?|mois|ans?|années?|siècles?',
    values: 'par défaut|combien|(?:max(?:imum|imale?)?|min(?:imum|imale?)?|limite|taille)',
    listing: 'nouveautés?|versions|sommaire|table des matières|index|liste des',
    meaning:
      /^\P{L}*(?:et\s+)?(?:qu['’]est-ce\s+(?:que\s+(?:c['’]est\s+que\s+)?|qu['’])|que\s+(?:signifie|veut\s+dire|fait)\s+|c['’]est\s+quoi\s+)(?:(?:une?|les?|la)\s+|l['’])?(?<what>\S.*?)(?:(?<!\s)\s+exactement)?$/iu,
    aspects: 'différence|défaut|maximum|minimum|limite|taille|nombre|port|valeur|but',
    introductions: 'introduction|présentation|aperçu|description|résumé|préface|préambule',
    compares: [/\bdifférences? (?:y a-t-il )?entre (?<one>.{1,200}?) et (?<other>.{1,200})$/iu],
    locatives: 'dans|chez|avec|pour|sous',
    // without "qui": it introduces relative clauses as often as questions
    joint:
      /(?:,|(?<!\s))\s+et\s+(?=(?:(?:(?:à|de|depuis|pendant|pour|dans|avec|en|sur|sous|jusqu['’]à)\s+)?(?:comment|combien|quand|où|quel(?:le)?s?|pourquoi)|est-ce|peut-on)(?![\p{L}]))/iu,
  },
  followUps: {
    conjunctions: 'et|ou|mais',
    pronouns: 'il|elle|ils|elles',
    pointers: 'cela|ça|celui|celle|leur',
    adverbs: 'alors|sinon',
    prepositions: 'à|en|au|pour|de|depuis|avec',
    articles: 'le|la',
    asking: 'quelle?s?|qui|quoi|quand|où|pourquoi|comment|combien|est|sont|peut|dois|faut|si',
    verbs: 'est|sont|signifie',
    more: 'plus autre chose encore davantage précisément détails',
    reasons: 'pourquoi',
    asksElse: 'où quand qui combien',
  },
  models: {
    refusals: REFUSALS,
    contrasts: 'mais|cependant|toutefois|sauf|seulement',
    politeness: "veuillez|désolée?|je suis désolée?|n'hésitez|si vous",
    queries: 'requête',
    remarks: 'remarque',
    excuses: 'je suis désolée?',
  },
  sentences: {
    abbreviations: 'p.ex Mme Mmes Mlle MM',
    softAbbreviations: 'env m av',
    openers: 'Les Une Cette Ces Il Elle Ils Elles Nous Vous Dans Pour Avec Mais',
  },
  numbers: [...BELOW_TWENTY.with(1, 'un|une'), ...Array.from({ length: 80 }, (_, i) => writeNumber(20 + i))],
  ...DATE_WORDS.french,
};
