import { DATE_WORDS } from '@citekb/documents/dates';
import type { Language } from './language.ts';

// How models say in Spanish that the sources do not answer.
const REFUSALS = [
  `‹(?:fuentes?|documentos?|contexto|pasajes?|textos?|fragmentos?)›…‹no (?:se )?(?:mencionan?|indican?|especifican?|responden?|dicen?|hablan)›`,
  `‹(?:(?:las|la|estas|los|estos|el|este) (?:fuentes?|contexto|pasajes?|fragmentos?))›…‹no (?:se )?(?:contienen?|incluyen?|proporcionan?|ofrecen?|dan|aparecen?|hay|encuentra)›`,
  `‹(?:documentos?|textos?)›…‹no (?:se )?(?:contienen?|incluyen?|proporcionan?|ofrecen?|dan|hay|encuentra) (?:ninguna )?(?:información|respuesta|detalles|mención|nada)›`,
  `‹no (?:he |pude |puedo |logré |se |te |le )*(?:encontr(?:é|ado|ar|ó)|encuentro|responder|hallado|halló)›`,
  `‹no (?:hay|tengo|dispongo de|existe|existen) (?:suficiente |ninguna )?(?:información|respuesta|mención)›`,
  `‹(?:ninguna|ninguno) de (?:las|los) (?:fuentes|documentos|pasajes|textos)›`,
  `‹no se menciona…(?:fuentes|documentos|textos|contexto)›`,
];

const ONES = 'uno dos tres cuatro cinco seis siete ocho nueve'.split(' ');
const BELOW_THIRTY =
  'diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve'.split(
    ' ',
  );
const TENS = 'treinta cuarenta cincuenta sesenta setenta ochenta noventa'.split(' ');

const DOCUMENTS = '(?:documentos?|archivos|ficheros|fuentes|paginas|manuales)';
const BASE = '(?:esta|la|tu|su) (?:base de conocimientos?|coleccion|base|biblioteca)';
const SOURCE_QUESTIONS = [
  `que ${DOCUMENTS} (?:tienes|tiene|conoces|conoce|hay|estan)(?: aqui| guardad[oa]s| disponibles| almacenad[oa]s| en ${BASE})*`,
  `(?:lista|enumera|enumere|muestra|muestre|muestrame|muestreme|dime|dame)(?: todos| todas)?(?: los| las| tus| sus) ${DOCUMENTS}(?: aqui| disponibles)*`,
  `que hay en ${BASE}`,
];

/** Spanish. */
export const spanish: Language = {
  code: 'es',
  marks: {
    functionWords:
      'el la los las un una unos unas es son está están era qué quién quiénes cuál cuáles dónde cuándo cómo cuánto cuánta cuántos cuántas cuesta puedo puede debo hay mi su para con por de del en sin sobre y o no se al',
    beginnings: 'cómo cuándo cuánto cuánta cuántos cuántas dónde quién cuál qué',
    mark: /[¿¡]/u,
  },
  smallTalk: {
    greeting: [
      'hola|buenos días|buenas tardes|buenas noches|buenas|buen día|qué tal|cómo estás|cómo está usted|hola qué tal',
      '¡Hola! ¿Qué quiere saber?',
    ],
    thanks: [
      'gracias|muchas gracias|no gracias|mil gracias|muchísimas gracias|te lo agradezco|se lo agradezco|gracias por la ayuda|gracias por tu ayuda|gracias por su ayuda',
      '¡De nada!',
    ],
    farewell: [
      'adiós|hasta luego|hasta pronto|hasta mañana|hasta la vista|nos vemos|chao|que tengas un buen día|que tenga un buen día',
      '¡Hasta luego!',
    ],
    acknowledgement: [
      'vale|de acuerdo|entendido|entiendo|ya veo|perfecto|muy bien|bien|está bien|claro|genial|estupendo|excelente|listo',
      'Bien. Pregunte cuando quiera.',
    ],
  },
  fillers: 'todos|todas|y',
  messages: {
    nothing: 'Las fuentes no responden a esto.',
    no_more: 'Las fuentes no dicen nada más sobre esto.',
    narrower:
      'No he encontrado nada que lo responda con claridad. ¿Puede preguntar algo más concreto, o nombrar el producto, el documento o el término al que se refiere?',
    refused: 'No puedo responder a esto: nada en la base de conocimientos respalda lo suficiente una respuesta.',
    part: 'Las fuentes no responden a «¿{part}?».',
    written_in: 'Las fuentes están en {language}.',
    uncited: 'Fiabilidad limitada: la respuesta no cita ninguna fuente.',
    unsupported: 'Fiabilidad limitada: las fuentes citadas no lo respaldan todo.',
    uncertain: 'Fiabilidad limitada: puede que esta no sea la respuesta, o no toda.',
    little: 'Fiabilidad limitada: la colección contiene poco sobre esto.',
    see_also: 'Véase también:',
  },
  sourceList: {
    asked: SOURCE_QUESTIONS.join('|'),
    heading: 'La base de conocimiento contiene estos documentos ({count}):',
    more: '… y {count} más.',
    empty: 'La base de conocimiento aún no contiene documentos.',
  },
  questions: {
    openings: String.raw`(?:expli(?:ca|que)|describ[ae]|muestr[ae]|compar[ae]|enumer[ae]|qué|cómo|por qué|cuándo|cuánt[oa]s?|dónde|quién(?:es)?|cuál(?:es)?)(?!\p{L})`,
    courtesies: 'gracias|por favor',
    contentWords: 'cuesta',
    stopWords: 'hacer tiempo ella ellos ellas',
    measure: /(?<!\p{L})(?<word>cuánto) tiempo(?!\p{L})/giu,
    figures:
      'cuánt[oa]s?|cuándo|a qué hora|(?:qué|cuál es (?:el|la)) (?:precio|tamaño|número|límite|valor|plazo|temperatura|presión|fecha)|cuestan?|precio|por defecto',
    figureWords: 'gratis|gratuit[oa]s?|medi[oa]',
    times: 'cuándo|a qué hora|cuánto tiempo',
    timeUnits: 'm?s|milisegundos?|segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?|siglos?',
    values: 'por defecto|predeterminad[oa]s?|cuánt[oa]s?|(?:máxim[oa]|mínim[oa]|límite|tamaño)',
    listing: 'cambios|novedades|versiones|índice|lista de',
    meaning:
      /^\P{L}*(?:y\s+)?qué\s+(?:es|son|significan?|hacen?)\s+(?:(?:una?|el|la|los|las)\s+)?(?<what>\S.*?)(?:(?<!\s)\s+exactamente)?$/iu,
    aspects: 'diferencia|máximo|mínimo|límite|tamaño|número|puerto|valor|propósito',
    introductions: 'introducción|presentación|descripción|resumen|prefacio',
    compares: [/\bdiferencias? (?:hay )?entre (?<one>.{1,200}?) [ye] (?<other>.{1,200})$/iu],
    locatives: 'en|con|para',
    joint:
      /(?:,|(?<!\s))\s+y\s+¿?(?=(?:(?:a|de|desde|durante|para|por|en|con|hasta|sobre)\s+)?(?:cómo|cuándo|cuánt[oa]s?|dónde|qué|quién(?:es)?|cuál(?:es)?|por qué)(?!\p{L}))/iu,
  },
  followUps: {
    conjunctions: 'y|pero',
    pronouns: 'ella|ello|ellos|ellas',
    pointers: 'eso|esto|ese|esa|su|sus',
    adverbs: 'entonces|allí',
    prepositions: 'para|de|a|en|desde|hasta|con',
    articles: 'el|la|lo',
    asking: 'qué|quién|cuál|cuándo|dónde|cómo|cuánt[oa]s?|es|son|puedo|puede|que',
    verbs: 'es|son|significa',
    more: 'más algo detalles exactamente',
    reasons: 'porqué',
    asksElse: 'dónde cuándo quién cuánto cuánta cuántos cuántas',
  },
  models: {
    refusals: REFUSALS,
    contrasts: 'pero|sin embargo|sino|aunque|solo',
    politeness: 'por favor|lo siento|lamentablemente|si (?:necesita|tiene|quiere|puede)',
    queries: 'consulta',
    remarks: 'nota',
    excuses: 'lo siento',
  },
  sentences: {
    abbreviations: 'p.ej Sra Srta Dra Ud Uds Vd Vds EE.UU',
    softAbbreviations: 'pág núm aprox',
    openers: 'Los Las Una Este Esta Estos Estas Para Con Pero Cuando Nuestro Nuestra',
  },
  numbers: [
    'cero',
    'uno|un|una',
    ...ONES.slice(1),
    ...BELOW_THIRTY,
    ...TENS.flatMap((ten) => [ten, ...ONES.map((one) => `${ten} y ${one}`)]),
  ],
  ...DATE_WORDS.spanish,
};
