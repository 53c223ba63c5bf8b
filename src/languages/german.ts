import { DATE_WORDS } from '@citekb/documents/dates';
import type { Language } from './language.ts';

// How models say in German that the sources do not answer.
const DIE = `‹(?:(?:die|den|der|das|dem|diese|diesen|dieser|dieses|diesem|ihre|ihren|im|zum) )(?:(?:bereitgestellt|angegeben|vorliegend|vorhanden|gegeben|gefunden|verfügbar|genannt|obig)\\p{L}* )?`;
const REFUSALS = [
  `${DIE}(?:quellen?|dokumente?n?|kontext|unterlagen|textstellen?|passagen?|auszügen?|texte?n?|materialien|wissensdatenbank|informationen)›…‹(?:nennen|nennt|erwähnen|erwähnt|beantworten|beantwortet|sagen|sagt|beschreiben|behandeln|gehen|geht|steht|stehen)›…‹(?:nicht|keinen?|keinerlei|nichts|keine)›`,
  `${DIE}(?:quellen?|kontext|unterlagen|textstellen?|passagen?|auszügen?|wissensdatenbank)›…‹(?:enthalten|enthält|geben|gibt|liefern|liefert|machen|macht|findet|finden|finde|gibt es|lässt|lassen)›…‹(?:nicht|keinen?|keinerlei|nichts|keine)›`,
  `${DIE}(?:dokumente?n?|texte?n?|materialien|informationen)›…‹(?:enthalten|enthält|geben|gibt|liefern|liefert|machen|macht|findet|finden|gibt es)›…‹(?:nichts|(?:keine|keinerlei) (?:\\p{L}+ )?(?:informationen|angaben?|auskunft|hinweise?|antwort))›`,
  `‹(?:konnte|kann|habe|weiß) ich›…‹(?:nicht|keinen?|keine|nichts)›`,
  `‹ich (?:konnte|kann|habe|finde|weiß)›…‹(?:nicht|keinen?|keine|nichts)›`,
  `‹(?:dazu|darüber|hierzu|hierüber|zu dieser frage)›…‹(?:keine|nichts|keinerlei)›`,
  `‹(?:keine|keinerlei) (?:informationen|angaben|hinweise|antwort)›…(?:in den (?:quellen|dokumenten|unterlagen|texten|auszügen)|gefunden|enthalten|vorhanden|verfügbar)›`,
  `‹(?:wird|werden|ist|sind)›…‹(?:den|diesen|ihren|im) (?:\\p{L}+en )?(?:quellen|dokumenten|unterlagen|texten|kontext|auszügen)›…‹nicht (?:erwähnt|genannt|angegeben|enthalten|beschrieben|behandelt|beantwortet|aufgeführt)›`,
];

const ONES = 'eins zwei drei vier fünf sechs sieben acht neun'.split(' ');
const BELOW_TWENTY = 'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(' ');
const TENS = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');

const DOCUMENTS = '(?:dokumente?|dateien|quellen|seiten|unterlagen|handbucher)';
const BASE = '(?:dieser|der|deiner|ihrer) (?:wissensbasis|wissensdatenbank|sammlung|datenbank|bibliothek)';
const SOURCE_QUESTIONS = [
  `(?:welche|was fur) ${DOCUMENTS} (?:hast du|haben sie|habt ihr|kennst du|kennen sie|kennt ihr|gibt es|liegen vor|sind)(?: hier| da| gespeichert| abgelegt| vorhanden| verfugbar| in ${BASE})*`,
  `(?:liste|zeige?|nenne?)(?: mir| bitte| alle| die| deine| ihre)* ${DOCUMENTS}(?: auf| an| hier| bitte)*`,
  `(?:listen|zeigen|nennen) sie(?: mir| bitte| alle| die| ihre)* ${DOCUMENTS}(?: auf| an| hier)*`,
  `was (?:ist|steht|liegt) in ${BASE}`,
];

/** German. */
export const german: Language = {
  code: 'de',
  marks: {
    functionWords:
      'der die das den dem des ein eine einen einem einer ist sind war waren wird werden wurde wurden hat haben hatte kann können muss müssen soll darf was wer wie wo wann warum wieso weshalb welche welcher welches welchem welchen womit wofür wozu woran wohin woher wieviel viele viel kostet heißt bedeutet gibt es ich man wir sie mein und oder nicht für mit von zu zum zur vom im am bei auf aus nach ohne über sich',
    beginnings: 'wie wo wann warum wieso weshalb wer wen wem was welche welcher welches wieviel',
    tieBreakers: 'die lange dauert kostet teuer wird kommt geht man oft viele',
    mark: /ß/u,
  },
  capitalNouns: true,
  smallTalk: {
    greeting: [
      'hallo|guten tag|guten morgen|guten abend|moin|moin moin|servus|grüß gott|grüß dich|grüezi|tag|hallöchen|wie geht es dir|wie geht es ihnen|wie gehts|wie gehts dir',
      'Hallo! Was möchten Sie wissen?',
    ],
    thanks: [
      'danke|danke schön|dankeschön|danke sehr|vielen dank|vielen lieben dank|besten dank|herzlichen dank|tausend dank|danke dir|danke ihnen|ich danke ihnen|danke für die hilfe|danke für ihre hilfe|danke für deine hilfe|danke für die schnelle hilfe|vielen dank für die schnelle hilfe|vielen dank für ihre hilfe|vielen dank für die hilfe|nein danke|das hat geholfen',
      'Gern geschehen!',
    ],
    farewell: [
      'tschüss|tschüssi|tschüs|tschau|auf wiedersehen|auf wiederhören|bis bald|bis später|bis dann|bis morgen|gute nacht|schönen tag|schönen tag noch|einen schönen tag noch|schönes wochenende|mach es gut|machs gut|ade',
      'Auf Wiedersehen!',
    ],
    acknowledgement: [
      'verstanden|alles klar|in ordnung|einverstanden|gut|sehr gut|prima|toll|klasse|ach so|achso|aha|passt|ich verstehe|verstehe|klar|genau|wunderbar|ausgezeichnet|okay gut',
      'Gut. Fragen Sie gern weiter.',
    ],
  },
  fillers: 'zusammen|liebes team|und|nochmal',
  messages: {
    nothing: 'Die Quellen beantworten das nicht.',
    no_more: 'Mehr sagen die Quellen dazu nicht.',
    narrower:
      'Ich habe nichts gefunden, was das klar beantwortet. Können Sie enger fragen oder das Produkt, das Dokument oder den Begriff nennen, den Sie meinen?',
    refused: 'Das kann ich nicht beantworten: Nichts in der Wissensbasis stützt eine Antwort gut genug.',
    part: '„{part}?“ beantworten die Quellen nicht.',
    written_in: 'Die Quellen sind auf {language}.',
    uncited: 'Wenig Gewähr: Die Antwort nennt keine Quelle.',
    unsupported: 'Wenig Gewähr: Die genannten Quellen belegen nicht alles davon.',
    uncertain: 'Wenig Gewähr: Das ist vielleicht nicht die Antwort, oder nicht die ganze.',
    little: 'Wenig Gewähr: Die Sammlung enthält wenig dazu.',
    see_also: 'Siehe auch:',
  },
  sourceList: {
    asked: SOURCE_QUESTIONS.join('|'),
    heading: 'Die Wissensbasis enthält diese Dokumente ({count}):',
    more: '… und {count} weitere.',
    empty: 'Die Wissensbasis enthält noch keine Dokumente.',
  },
  questions: {
    openings: 'erklär|nenn|zeig|was|wie|warum|wann|wo|wer|welche',
    courtesies: 'bitte|danke',
    contentWords: 'kostet heißt bedeutet',
    stopWords: 'lange oft tun machen',
    measure: /(?<!\p{L})(?<word>wie) (?:lange|oft|viele?)(?!\p{L})/giu,
    figures: 'wie (?:viele?|lange|groß|oft|hoch|weit|schwer|alt|warm|teuer)|wann|wieviel|kostet|kosten|preis|standardmäßig',
    figureWords: 'kostenlos|halb',
    times: 'wann|wie (?:lange|oft|alt|bald)|um wie viel uhr',
    timeUnits: 'm?s|millisekunden?|sekunden?|minuten?|stunden?|uhr|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?|jahrhunderts?',
    values: String.raw`standardmäßig|voreinst\p{L}*|wie (?:viele?|lange|groß|oft|hoch)`,
    listing: 'änderung(?:en)?|neuerung(?:en)?|neu|seit|versionen|inhalt(?:sverzeichnis)?|übersicht',
    meaning:
      /^\P{L}*(?:(?:und|so)\s+)?was\s+(?:ist|sind|bedeutet|heißt|macht)(?:\s+(?:eine?|der|die|das))?\s+(?<what>\S.*?)(?:(?<!\s)\s+genau)?$/iu,
    aspects: 'unterschied|standardwert|maximum|minimum|limit|größe|anzahl|port|wert|zweck',
    introductions: 'einleitung|einführung|überblick|beschreibung',
    compares: [/\bunterschied\p{L}{0,5} zwischen (?<one>.{1,200}?) und (?<other>.{1,200})$/iu],
    locatives: 'bei|mit',
    joint:
      /(?:,|(?<!\s))\s+und\s+(?=(?:(?:(?:nach|für|aus|von|bei|mit|in|im|am|an|auf|ab|bis|seit|um)\s+)?(?:wie|was|wann|wo|wer|wen|wem|welche[nrsm]?|warum|wieso)|(?:kann|können|ist|sind|muss|darf)\s+(?:ich|er|sie|es|wir|das))(?![\p{L}]))/iu,
  },
  followUps: {
    conjunctions: 'und|oder|aber',
    pronouns: 'es|sie|ihn|ihm|deren|dessen|er',
    pointers: 'ihre|dies|diese|dieser|dieses|davon|dafür|damit|dabei|daran|darauf|dazu',
    adverbs: 'dort|dann|stattdessen|sonst',
    prepositions: 'nach|für|aus|von|bei|mit|im|am|ab|bis|seit',
    articles: 'der|die|das|den|dem|des',
    asking: 'welche[rsnm]?|wer|wen|wem|wann|wo|warum|wieso|wie|wieviel|ist|sind|kann|können|muss|müssen|darf|soll|hat|haben|gibt|wird|wenn',
    verbs: 'ist|sind|war|waren|kann|können|muss|bedeutet|heißt',
    more: 'mehr noch sonst etwas weiter genauer genau einzelheiten denn',
    reasons: 'warum wieso weshalb',
    asksElse: 'wann wo wer wen wem wieviel viel viele',
  },
  models: {
    refusals: REFUSALS,
    contrasts: 'aber|jedoch|allerdings|sondern|hingegen|während|nur',
    politeness: 'bitte|leider|entschuldigung|es tut mir leid|tut mir leid|wenn sie|falls sie',
    queries: 'suchanfrage|anfrage',
    remarks: 'erklärung|hinweis',
    excuses: 'es tut mir leid',
  },
  sentences: {
    abbreviations: 'Nr ca Abb Mio Mrd ggf inkl zzgl z.B d.h u.a bzw usw Bd vgl bspw evtl',
    softAbbreviations: 'tel',
    openers: `Der Die Das Den Dem Des Dies Diese[mnrs]? Ein Eine[mnrs]? Kein Keine[mnrs]? Jede[mnrs]? Sie Wir Ich Ihr Ihre[mnrs]? Unsere?[mnrs]? Man Alle Alles
      Viele Danach Dann Dort Damit Dabei Daher Dazu Darum Deshalb Dadurch Denn Doch Dennoch Nach Vor Seit Bis Bei Beim Mit Ohne Für Auf Aus Von Vom Zum Zur Und Oder
      Aber Auch Nur Wer Was Wie Wann Wenn Weil Bitte Hier Nicht Sonst Unter Über Während Wegen Zwischen Ist Sind Wird Kann`,
    ordinals: {
      before: 'am im zum zur vom beim der die das den dem des ab bis seit jede[mnrs]? eine?[mnrs]? diese[mnrs]? (?:sein|ihr|unser)e[mnrs]?',
      counted: `Jahrhunderts? Jahrtausends? Stock Stockwerks? Etage Klasse Obergeschoss(?:es)? Untergeschoss(?:es)? OG UG Quartals? Halbjahr(?:es)? Auflage Bundesliga
        Liga Weltkrieg(?:s|es)? Lebensjahr(?:es)? Schuljahr(?:es)? Semesters? Geburtstag(?:s|es)? Woche Monat(?:s|es)?`,
    },
    continued: {
      always: String.raw`z\.\s?B|z\.\s?T|d\.\s?h|u\.\s?a|v\.\s?a|u\.\s?U|i\.\s?d\.\s?R|bzw|ca|vgl|bspw|evtl|ggf|inkl|exkl|zzgl|abzgl|einschl|sog|geb|Nr|Hrn?|Okt|Dez`,
      beforeNumber: String.raw`(?<![\p{L}\p{N}])(?:Tel|Abs|Art|Kap|Ziff|Abt|Abb|Anm|Bd|Kl|gem|lt|max|min|mind)|[Ss]tr`,
    },
  },
  numbers: [
    'null',
    'eins|ein|eine|einen|einem|einer|eines',
    ...ONES.slice(1),
    ...BELOW_TWENTY,
    ...TENS.flatMap((ten) => [ten, ...ONES.map((one) => `${one.replace('eins', 'ein')}und${ten}`)]),
  ],
  ...DATE_WORDS.german,
};
