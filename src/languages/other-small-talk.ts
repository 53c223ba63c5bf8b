import type { DirectIntent } from './language.ts';

/** Small talk in languages beyond those of `languages.ts`, phrases divided by `|` and line breaks. It is answered in English. */
export const OTHER_SMALL_TALK: Readonly<Record<DirectIntent, string>> = {
  greeting: `
    ciao|buongiorno|buon giorno|buonasera|buona sera|salve|come stai|come sta|come va|olá|oi|bom dia|boa tarde|boa noite|tudo bem|como vai|como está|hoi|hallo daar|goedemorgen|goedemiddag|goedenavond|goedendag|goeiemorgen|dag
    hoe gaat het|hoe gaat het met je|hoe gaat het met u|cześć|dzień dobry|dobry wieczór|witam|witaj|siema|jak się masz|co słychać|привет|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер|как дела|как поживаете|привіт
    вітаю|добрий день|доброго ранку|добрий вечір|доброго дня|як справи|ahoj|dobrý den|dobré ráno|dobrý večer|čau|jak se máš|jak se máte|hej|hejsan|god morgon|god dag|god kväll|tjena|hallå|hur mår du|godmorgen|god morgen|goddag
    godaften|davs|hvordan går det|moi|hei|terve|hyvää huomenta|hyvää päivää|hyvää iltaa|huomenta|mitä kuuluu|merhaba|selam|günaydın|iyi günler|iyi akşamlar|nasılsın|nasılsınız|selamün aleyküm|γεια|γεια σας|γεια σου|καλημέρα
    καλησπέρα|χαίρετε|τι κάνεις|τι κάνετε|مرحبا|أهلا|أهلا وسهلا|السلام عليكم|صباح الخير|مساء الخير|كيف حالك|هلا|مرحبًا|أهلًا|שלום|היי|הי|בוקר טוב|ערב טוב|צהריים טובים|מה שלומך|מה נשמע|नमस्ते|नमस्कार|हैलो|हेलो|सुप्रभात|आप कैसे हैं
    कैसे हो|你好|您好|大家好|嗨|哈喽|早上好|早安|上午好|下午好|晚上好|你好吗|您好吗|你好啊|早|こんにちは|こんばんは|おはよう|おはようございます|はじめまして|お元気ですか|やあ|どうも|안녕|안녕하세요|안녕하십니까|반갑습니다|좋은 아침|좋은 아침입니다|잘 지내세요|여보세요|xin chào|chào|chào bạn|chào buổi sáng|chào buổi tối|bạn khỏe không|halo
    selamat pagi|selamat siang|selamat sore|selamat malam|apa kabar|hai|szia|sziasztok|jó napot|jó napot kívánok|jó reggelt|jó estét|üdv|üdvözlöm|bună|bună ziua|bună dimineața|bună seara|salutare|zdravo|dobar dan|dobro jutro
    dobra večer|dobro veče|pozdrav|dobrý deň|ahojte|čaute|здравейте|здравей|здрасти|добър ден|добро утро|добър вечер|bon dia|bona tarda|bon vespre|hujambo|habari|habari za asubuhi|habari gani|kumusta|kamusta|magandang umaga
    magandang hapon|magandang gabi|سلام|درود|صبح بخیر|روز بخیر|عصر بخیر|salam|salaam|السلام علیکم|آداب|নমস্কার|হ্যালো|শুভ সকাল|শুভ সন্ধ্যা|สวัสดี|สวัสดีครับ|สวัสดีค่ะ|หวัดดี`,
  thanks: `
    grazie|grazie mille|molte grazie|tante grazie|ti ringrazio|la ringrazio|grazie per l’aiuto|grazie dell’aiuto|obrigado|obrigada|muito obrigado|muito obrigada|valeu|agradeço|agradecido|agradecida|obrigado pela ajuda
    obrigada pela ajuda|bedankt|dank je|dank je wel|dankjewel|dank u|dank u wel|dankuwel|hartelijk dank|heel erg bedankt|veel dank|bedankt voor de hulp|dziękuję|dzięki|dziękuję bardzo|bardzo dziękuję|wielkie dzięki|dzięki wielkie
    dziękuję za pomoc|спасибо|спс|нет спасибо|большое спасибо|спасибо большое|огромное спасибо|благодарю|благодарю вас|спасибо за помощь|дякую|щиро дякую|дуже дякую|дякую за допомогу|дуже вдячний|дуже вдячна|děkuji|děkuju|díky
    mockrát děkuji|děkuji mnohokrát|moc děkuji|děkuji za pomoc|tack|tack så mycket|tusen tack|stort tack|tackar|tack för hjälpen|tak|mange tak|tusind tak|tak for hjælpen|takk|tusen takk|mange takk|takk for hjelpen|kiitos
    kiitos paljon|paljon kiitoksia|suuret kiitokset|kiitti|kiitos avusta|teşekkürler|teşekkür ederim|çok teşekkürler|çok teşekkür ederim|sağ ol|sağol|sağ olun|sağolun|yardımın için teşekkürler|ευχαριστώ|ευχαριστώ πολύ
    σας ευχαριστώ|σε ευχαριστώ|χίλια ευχαριστώ|شكرا|شكرا جزيلا|شكرا لك|شكرا لكم|شكرًا|شكرًا جزيلًا|شكرًا لك|مشكور|ألف شكر|תודה|תודה רבה|המון תודה|תודה לך|תודה על העזרה|धन्यवाद|बहुत धन्यवाद|बहुत बहुत धन्यवाद|शुक्रिया|बहुत शुक्रिया
    आपका धन्यवाद|谢谢|谢谢你|谢谢您|多谢|非常感谢|感谢|感谢您的帮助|谢谢你的帮助|十分感谢|謝謝|謝謝你|謝謝您|多謝|非常感謝|谢了|太感谢了|ありがとう|ありがとうございます|ありがとうございました|どうもありがとう|どうもありがとうございます|助かりました|感謝します|サンキュー|감사합니다|고맙습니다|고마워|고마워요|정말 감사합니다|대단히 감사합니다|감사해요|도와주셔서 감사합니다|cảm ơn|cám ơn
    cảm ơn bạn|cảm ơn nhiều|cảm ơn rất nhiều|xin cảm ơn|terima kasih|terima kasih banyak|makasih|terimakasih|terima kasih atas bantuannya|köszönöm|köszi|nagyon köszönöm|köszönöm szépen|köszönöm a segítséget|mulțumesc
    mulțumesc mult|mersi|mulțumesc frumos|mulțumesc pentru ajutor|hvala|hvala lijepa|hvala lepo|hvala puno|puno hvala|mnogo hvala|hvala vam|hvala na pomoći|ďakujem|ďakujem pekne|ďakujem veľmi pekne|vďaka|ďakujem za pomoc
    благодаря|много благодаря|мерси|благодаря ви|благодаря за помощта|gràcies|moltes gràcies|mercès|asante|asante sana|ahsante|asanteni|salamat|maraming salamat|salamat po|maraming salamat po|ممنون|ممنونم|متشکرم|مرسی|خیلی ممنون
    سپاسگزارم|شکریہ|بہت شکریہ|ধন্যবাদ|অনেক ধন্যবাদ|আপনাকে ধন্যবাদ|ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|ขอบคุณมากครับ|ขอบคุณมากค่ะ`,
  farewell: `
    arrivederci|arrivederla|a presto|a dopo|a domani|buonanotte|buona notte|buona giornata|buona serata|ci vediamo|addio|tchau|até logo|até mais|até breve|até amanhã|adeus|tenha um bom dia|doei|tot ziens|tot straks|tot later
    tot morgen|tot snel|dag hoor|welterusten|goedenacht|fijne dag|fijne dag nog|fijn weekend|do widzenia|do zobaczenia|na razie|pa|pa pa|dobranoc|miłego dnia|do jutra|до свидания|пока|пока пока|до встречи|до завтра|всего доброго
    всего хорошего|спокойной ночи|хорошего дня|увидимся|до побачення|бувай|до зустрічі|на добраніч|гарного дня|па па|na shledanou|nashledanou|sbohem|měj se|mějte se|dobrou noc|hezký den|zatím|hejdå|hej då|adjö|vi ses|ha det bra
    god natt|ha en bra dag|farvel|hej hej|på gensyn|godnat|ha det|ha det godt|hav en god dag|näkemiin|hei hei|heippa|moi moi|nähdään|hyvää yötä|hyvää päivänjatkoa|hoşça kal|hoşçakal|hoşça kalın|güle güle|görüşürüz|iyi geceler
    görüşmek üzere|kendine iyi bak|αντίο|τα λέμε|καληνύχτα|καλή συνέχεια|καλή σας μέρα|مع السلامة|وداعا|إلى اللقاء|تصبح على خير|أراك لاحقا|وداعًا|في أمان الله|להתראות|ביי|לילה טוב|יום טוב|נתראה|अलविदा|फिर मिलेंगे|शुभ रात्रि|बाय
    再见|拜拜|回头见|晚安|明天见|下次见|再見|掰掰|慢走|さようなら|さよなら|またね|じゃあね|では また|ではまた|おやすみ|おやすみなさい|バイバイ|失礼します|また明日|안녕히 가세요|안녕히 계세요|잘 가|잘 있어|또 봐요|나중에 봐요|내일 봐요|좋은 하루 되세요|안녕히 주무세요|잘 자|tạm biệt|hẹn gặp lại|chúc ngủ ngon|chúc một ngày tốt lành
    sampai jumpa|selamat tinggal|dadah|sampai nanti|selamat tidur|viszlát|viszontlátásra|jó éjszakát|szép napot|la revedere|pe curând|noapte bună|o zi bună|doviđenja|laku noć|vidimo se|ugodan dan|prijatan dan|dovidenia|do videnia
    dobrú noc|pekný deň|довиждане|чао|лека нощ|приятен ден|adéu|fins aviat|a reveure|bona nit|kwaheri|usiku mwema|tutaonana|paalam|ingat|خداحافظ|خدا نگهدار|شب بخیر|بدرود|خدا حافظ|اللہ حافظ|বিদায়|শুভ রাত্রি|আবার দেখা হবে|ลาก่อน
    ราตรีสวัสดิ์|แล้วพบกันใหม่`,
  acknowledgement: `
    va bene|capito|ho capito|d’accordo|perfetto|ottimo|benissimo|bene|certo|chiaro|capisco|ricevuto|está bem|tá bem|tá bom|entendi|entendido|percebi|compreendo|perfeito|muito bem|ótimo|beleza|combinado|oké|begrepen|ik begrijp het
    ik snap het|snap ik|duidelijk|prima|akkoord|goed|heel goed|mooi|helder|is goed|dobrze|rozumiem|zrozumiałem|zrozumiałam|jasne|w porządku|świetnie|super|zgoda|okej|понятно|понял|поняла|ясно|хорошо|отлично|ок|окей|ладно
    договорились|принято|прекрасно|зрозуміло|зрозумів|зрозуміла|гаразд|добре|чудово|домовились|dobře|rozumím|chápu|jasně|v pořádku|výborně|skvěle|jag förstår|förstått|uppfattat|bra|jättebra|utmärkt|toppen|visst|forstået
    jeg forstår|javel|fint|godt|udmærket|skønt|forstått|greit|skjønner|selvä|ymmärrän|ymmärsin|hyvä|hienoa|asia selvä|okei|mainiota|tamam|anladım|anlaşıldı|peki|harika|güzel|çok iyi|oldu|tamamdır|εντάξει|κατάλαβα|καταλαβαίνω
    ωραία|τέλεια|πολύ καλά|μάλιστα|حسنا|حسنًا|فهمت|تمام|مفهوم|ممتاز|طيب|جيد|موافق|رائع|אוקיי|הבנתי|בסדר|מצוין|מעולה|סבבה|טוב|ठीक है|ठीक|समझ गया|समझ गई|अच्छा|बढ़िया|बहुत अच्छा|好|好的|明白|明白了|知道了|了解|懂了|我懂了|我明白了|收到|没问题|很好|太好了|原来如此|嗯|行
    可以|好吧|瞭解|沒問題|わかりました|分かりました|わかった|分かった|了解です|了解しました|なるほど|承知しました|はい わかりました|オーケー|いいですね|かしこまりました|알겠습니다|알겠어요|알았어|알았어요|네 알겠습니다|그렇군요|좋아요|좋습니다|이해했습니다|이해했어요|오케이|được rồi|tôi hiểu|tôi hiểu rồi|hiểu rồi|tốt|tuyệt|tuyệt vời|vâng|baik
    baiklah|mengerti|saya mengerti|oke|bagus|paham|siap|rendben|értem|megértettem|világos|remek|am înțeles|înțeleg|în regulă|bine|u redu|razumijem|razumem|shvaćam|odlično|dobro|dobre|v poriadku|jasné|разбирам|разбрах|чудесно
    entesos|d'acord|molt bé|perfecte|sawa|sawa sawa|nimeelewa|sige|sige po|naiintindihan ko|باشه|فهمیدم|بسیار خوب|متوجه شدم|ٹھیک ہے|سمجھ گیا|سمجھ گئی|ঠিক আছে|বুঝেছি|বুঝতে পেরেছি|โอเค|เข้าใจแล้ว|ตกลง|เข้าใจแล้วครับ|เข้าใจแล้วค่ะ`,
};

/** Words that may stand beside it. */
export const OTHER_FILLERS = 'tutti|e|wszystkim|всем|и|大家|さん|여러분';
