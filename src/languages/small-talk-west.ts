import type { SmallTalk } from './small-talk.ts';

/** Languages of Europe, in the order in which a phrase that several share is answered: English first. */
export const WESTERN_SMALL_TALK: Record<string, SmallTalk> = {
  en: {
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
  de: {
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
  fr: {
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
  es: {
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
  it: {
    greeting: ['ciao|buongiorno|buon giorno|buonasera|buona sera|salve|come stai|come sta|come va', 'Buongiorno! Che cosa vuole sapere?'],
    thanks: ['grazie|grazie mille|molte grazie|tante grazie|ti ringrazio|la ringrazio|grazie per l’aiuto|grazie dell’aiuto', 'Prego!'],
    farewell: [
      'arrivederci|arrivederla|a presto|a dopo|a domani|buonanotte|buona notte|buona giornata|buona serata|ci vediamo|addio',
      'Arrivederci!',
    ],
    acknowledgement: [
      'va bene|capito|ho capito|d’accordo|perfetto|ottimo|benissimo|bene|certo|chiaro|capisco|ricevuto',
      'Bene. Chieda pure ancora.',
    ],
  },
  pt: {
    greeting: ['olá|oi|bom dia|boa tarde|boa noite|tudo bem|como vai|como está', 'Olá! O que gostaria de saber?'],
    thanks: [
      'obrigado|obrigada|muito obrigado|muito obrigada|valeu|agradeço|agradecido|agradecida|obrigado pela ajuda|obrigada pela ajuda',
      'De nada!',
    ],
    farewell: ['tchau|até logo|até mais|até breve|até amanhã|adeus|tenha um bom dia', 'Até logo!'],
    acknowledgement: [
      'está bem|tá bem|tá bom|certo|entendi|entendido|percebi|compreendo|perfeito|muito bem|ótimo|beleza|combinado',
      'Certo. Pergunte quando quiser.',
    ],
  },
  nl: {
    greeting: [
      'hoi|hallo daar|goedemorgen|goedemiddag|goedenavond|goedendag|goeiemorgen|dag|hoe gaat het|hoe gaat het met je|hoe gaat het met u',
      'Hallo! Wat wilt u weten?',
    ],
    thanks: [
      'bedankt|dank je|dank je wel|dankjewel|dank u|dank u wel|dankuwel|hartelijk dank|heel erg bedankt|veel dank|bedankt voor de hulp',
      'Graag gedaan!',
    ],
    farewell: [
      'doei|tot ziens|tot straks|tot later|tot morgen|tot snel|dag hoor|welterusten|goedenacht|fijne dag|fijne dag nog|fijn weekend',
      'Tot ziens!',
    ],
    acknowledgement: [
      'oké|begrepen|ik begrijp het|ik snap het|snap ik|duidelijk|prima|akkoord|goed|heel goed|mooi|helder|is goed',
      'Goed. Vraag gerust verder.',
    ],
  },
  pl: {
    greeting: ['cześć|dzień dobry|dobry wieczór|witam|witaj|siema|jak się masz|co słychać', 'Dzień dobry! Co chcesz wiedzieć?'],
    thanks: ['dziękuję|dzięki|dziękuję bardzo|bardzo dziękuję|wielkie dzięki|dzięki wielkie|dziękuję za pomoc', 'Nie ma za co!'],
    farewell: ['do widzenia|do zobaczenia|na razie|pa|pa pa|dobranoc|miłego dnia|do jutra', 'Do widzenia!'],
    acknowledgement: ['dobrze|rozumiem|zrozumiałem|zrozumiałam|jasne|w porządku|świetnie|super|zgoda|okej', 'Dobrze. Pytaj śmiało dalej.'],
  },
  ru: {
    greeting: [
      'привет|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер|как дела|как поживаете',
      'Здравствуйте! Что вы хотите узнать?',
    ],
    thanks: [
      'спасибо|спс|нет спасибо|большое спасибо|спасибо большое|огромное спасибо|благодарю|благодарю вас|спасибо за помощь',
      'Пожалуйста!',
    ],
    farewell: [
      'до свидания|пока|пока пока|до встречи|до завтра|всего доброго|всего хорошего|спокойной ночи|хорошего дня|увидимся',
      'До свидания!',
    ],
    acknowledgement: ['понятно|понял|поняла|ясно|хорошо|отлично|ок|окей|ладно|договорились|принято|прекрасно', 'Хорошо. Спрашивайте ещё.'],
  },
  uk: {
    greeting: ['привіт|вітаю|добрий день|доброго ранку|добрий вечір|доброго дня|як справи', 'Вітаю! Що ви хочете дізнатися?'],
    thanks: ['дякую|щиро дякую|дуже дякую|дякую за допомогу|дуже вдячний|дуже вдячна', 'Будь ласка!'],
    farewell: ['до побачення|бувай|до зустрічі|на добраніч|гарного дня|па па', 'До побачення!'],
    acknowledgement: ['зрозуміло|зрозумів|зрозуміла|гаразд|добре|чудово|домовились', 'Гаразд. Питайте ще.'],
  },
  cs: {
    greeting: ['ahoj|dobrý den|dobré ráno|dobrý večer|čau|jak se máš|jak se máte', 'Dobrý den! Co chcete vědět?'],
    thanks: ['děkuji|děkuju|díky|mockrát děkuji|děkuji mnohokrát|moc děkuji|děkuji za pomoc', 'Není zač!'],
    farewell: ['na shledanou|nashledanou|sbohem|měj se|mějte se|dobrou noc|hezký den|zatím', 'Na shledanou!'],
    acknowledgement: ['dobře|rozumím|chápu|jasně|v pořádku|výborně|skvěle', 'Dobře. Ptejte se dál.'],
  },
  sv: {
    greeting: ['hej|hejsan|god morgon|god dag|god kväll|tjena|hallå|hur mår du', 'Hej! Vad vill du veta?'],
    thanks: ['tack|tack så mycket|tusen tack|stort tack|tackar|tack för hjälpen', 'Varsågod!'],
    farewell: ['hejdå|hej då|adjö|vi ses|ha det bra|god natt|ha en bra dag', 'Hej då!'],
    acknowledgement: ['jag förstår|förstått|uppfattat|okej|bra|jättebra|utmärkt|toppen|visst', 'Bra. Fråga gärna mer.'],
  },
  da: {
    greeting: ['godmorgen|god morgen|goddag|god dag|godaften|davs|hvordan går det', 'Hej! Hvad vil du vide?'],
    thanks: ['tak|mange tak|tusind tak|tak for hjælpen|takk|tusen takk|mange takk|takk for hjelpen', 'Selv tak!'],
    farewell: ['farvel|hej hej|vi ses|på gensyn|godnat|ha det|ha det bra|ha det godt|god natt|hav en god dag', 'Farvel!'],
    acknowledgement: ['forstået|jeg forstår|javel|fint|godt|udmærket|skønt|forstått|greit|skjønner', 'Godt. Spørg endelig mere.'],
  },
  fi: {
    greeting: ['moi|hei|terve|hyvää huomenta|hyvää päivää|hyvää iltaa|huomenta|mitä kuuluu', 'Hei! Mitä haluaisit tietää?'],
    thanks: ['kiitos|kiitos paljon|paljon kiitoksia|suuret kiitokset|kiitti|kiitos avusta', 'Ole hyvä!'],
    farewell: ['näkemiin|hei hei|heippa|moi moi|nähdään|hyvää yötä|hyvää päivänjatkoa', 'Näkemiin!'],
    acknowledgement: ['selvä|ymmärrän|ymmärsin|hyvä|hienoa|asia selvä|okei|mainiota', 'Hyvä. Kysy toki lisää.'],
  },
  tr: {
    greeting: ['merhaba|selam|günaydın|iyi günler|iyi akşamlar|nasılsın|nasılsınız|selamün aleyküm', 'Merhaba! Ne öğrenmek istersiniz?'],
    thanks: [
      'teşekkürler|teşekkür ederim|çok teşekkürler|çok teşekkür ederim|sağ ol|sağol|sağ olun|sağolun|yardımın için teşekkürler',
      'Rica ederim!',
    ],
    farewell: ['hoşça kal|hoşçakal|hoşça kalın|güle güle|görüşürüz|iyi geceler|görüşmek üzere|kendine iyi bak', 'Hoşça kalın!'],
    acknowledgement: ['tamam|anladım|anlaşıldı|peki|harika|güzel|çok iyi|oldu|tamamdır', 'Güzel. Başka sorunuz olursa sorun.'],
  },
  el: {
    greeting: ['γεια|γεια σας|γεια σου|καλημέρα|καλησπέρα|χαίρετε|τι κάνεις|τι κάνετε', 'Γεια σας! Τι θέλετε να μάθετε;'],
    thanks: ['ευχαριστώ|ευχαριστώ πολύ|σας ευχαριστώ|σε ευχαριστώ|χίλια ευχαριστώ', 'Παρακαλώ!'],
    farewell: ['αντίο|τα λέμε|καληνύχτα|καλή συνέχεια|καλή σας μέρα', 'Αντίο!'],
    acknowledgement: ['εντάξει|κατάλαβα|καταλαβαίνω|ωραία|τέλεια|πολύ καλά|μάλιστα', 'Ωραία. Ρωτήστε ό,τι άλλο θέλετε.'],
  },
};
