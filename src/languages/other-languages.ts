import type { FollowUpWords, LanguageMarks, ModelPhrases, DirectIntent } from './language.ts';

// Languages beyond those of `languages.ts`: enough to detect them, and to recognise their small talk, follow-ups and refusals. Their speakers get English
// messages from kb, and their own language from a model.

const FUNCTION_WORDS: Readonly<Record<string, string>> = {
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

const FURTHER_MARKS: Readonly<Record<string, Omit<LanguageMarks, 'functionWords'>>> = {
  it: { beginnings: 'dove perché quanto quanti quante quale quali quando cosa chi' },
  pt: { beginnings: 'como onde quanto quantos quantas qual quais quando quem porque' },
  nl: { beginnings: 'hoe waar wanneer waarom wie wat welke hoeveel', tieBreakers: 'duur lang kost vaak veel komt gaat kunt' },
  vi: { mark: /[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/u },
  hu: { mark: /[őű]/u },
};

/** The marks of languages, by their codes. Languages with their own letters are detected by these (`detect.ts`). */
export const OTHER_MARKS = Object.entries(FUNCTION_WORDS).map(([code, functionWords]): [code: string, marks: LanguageMarks] => [
  code,
  { functionWords, ...FURTHER_MARKS[code] },
]);

/** Kinds of words that are listed only for fully supported languages. */
type OnlyOfWhole = 'askingOn' | 'pronouns' | 'vague';

/** Words of follow-ups in Italian, Portuguese and Dutch, and some in Russian, Chinese, Japanese and Korean. */
export const OTHER_FOLLOW_UPS: Omit<FollowUpWords, OnlyOfWhole> & { courtesies: string } = {
  conjunctions: 'e|ma|mas|en|maar|и|а|но|그럼|그리고',
  courtesies: 'grazie|obrigado',
  pointers: 'esso|essa|questo|questa|quello|quella|ele|ela|eles|elas|isso|isto|hij|zij|hem|haar|hun|deze',
  adverbs: 'allora|dan|daar|daarna',
  prepositions: 'di|da|per|em|no|na|naar|voor|van|bij|com|sinds|tot|met',
  articles: 'il|o|het',
  asking:
    'che|chi|quale|quando|dove|perché|come|quant[oaie]|è|sono|posso|può|quem|qual|onde|como|quanto|é|são|pode|wat|welke?|wie|wanneer|waar|waarom|hoe|hoeveel|zijn|kan|moet',
  verbs: 'significa|è|sono|é|são|zijn|betekent',
  more: 'di più altro ancora dettagli mais detalhes exatamente meer verder precies почему как зачем ещё еще подробнее а и 为什么 为何 怎么 还有呢 詳しく なぜ どうして もっと 왜 어떻게 더',
  reasons: 'perché porquê waarom czemu dlaczego varför hvorfor miksi neden',
  asksElse: 'dove chi quanto quanta onde quem waar wanneer hoeveel где когда кто сколько',
};

/** How models say that the sources do not answer. */
export const OTHER_PHRASES: Pick<ModelPhrases, 'refusals' | 'contrasts' | 'politeness'> = {
  refusals: [
    // Italian
    `‹(?:(?:le|la|i|il|gli|nelle|nei|questi|queste) (?:fonti|fonte|contesto|brani|passaggi|estratti))›…‹non (?:contengono|contiene|forniscono|fornisce|riportano|riporta)›`,
    `‹(?:documenti|documento|testi)›…‹non (?:contengono|contiene|forniscono|fornisce|riportano|riporta) (?:alcuna )?(?:informazioni|informazione|risposta|dettagli)›`,
    `‹(?:fonti|fonte|documenti|documento|contesto|testi|brani|passaggi|estratti)›…‹non (?:menzionano|menziona|indicano|indica|rispondono|risponde|specificano|specifica|dicono|dice|parlano|parla)›`,
    `‹non (?:ho trovato|trovo|sono riuscit[oa]|posso rispondere|riesco|so›|dispongo)`,
    `‹non (?:ci sono|c'è|sono presenti) (?:\\p{L}+ )?(?:informazioni|risposta|menzione)›`,
    `‹nessuna (?:delle fonti|fonte|informazione)›…(?:trovat|disponibil|rispond|menzion|contien|parla|fonti›)`,
    // Portuguese
    `‹(?:fontes?|documentos?|contexto|textos?|trechos?|passagens)›…‹não (?:mencionam?|indicam?|respondem?|especificam?|dizem|diz|informam?|falam?)›`,
    `‹(?:as|os|o|nas|nos|estas|estes) (?:fontes?|contexto|trechos?|passagens)›…‹não (?:contêm|contém|fornecem?|incluem?|trazem)›`,
    `‹(?:documentos?|textos?)›…‹não (?:contêm|contém|fornecem?|incluem?|trazem) (?:informaç|resposta|detalhes)`,
    `‹não (?:encontrei|encontro|consegui|foi possível (?:encontrar|localizar|determinar|responder)|posso responder|sei›|localizei)`,
    `‹não (?:há|existem?|tenho|disponho de) (?:\\p{L}+ )?(?:informaç|resposta|menção)`,
    `‹nenhuma (?:das fontes|fonte|informação)›…(?:encontrad|disponív|respond|mencion|contém|fala|fontes›)`,
    // Dutch
    `‹(?:de|deze|het|dit) (?:\\p{L}+e )?(?:bronnen|bron|documenten|document|context|tekst|teksten|passages|fragmenten)›…‹(?:vermelden|vermeldt|noemen|noemt|zeggen|zegt|beantwoorden|beantwoordt|staat|vind)›…‹(?:geen|niet|niets)›`,
    `‹(?:de|deze) (?:\\p{L}+e )?(?:bronnen|bron|context|passages|fragmenten)›…‹(?:bevatten|bevat|geven|geeft)›…‹(?:geen|niet|niets)›`,
    `‹(?:documenten|document|tekst|teksten)›…‹(?:bevatten|bevat|geven|geeft) geen (?:informatie|antwoord|details)›`,
    `‹(?:ik (?:kon|kan|heb|weet)|(?:kon|kan|heb) ik)›…‹(?:geen|niet|niets)›`,
    `‹(?:er is|er staat|er zijn) geen (?:\\p{L}+ )?(?:informatie|vermelding)›`,
    `‹er (?:is|staat|zijn) (?:geen|niets)›…‹in de (?:bronnen|passages|fragmenten)›`,
    // Russian and Polish
    `‹(?:источник\\p{L}*|документ\\p{L}*|контекст\\p{L}*|текст\\p{L}*|материал\\p{L}*)›…(?:не содерж|не упомин|не указ|не сказан|не говор|не отвеча|‹нет›…(?:информац|сведени|ответ|данных|упомин))`,
    `‹(?:я )?(?:не наш[её]?л\\p{L}*|не удалось найти|не могу (?:найти|ответить)|не смогл?а? найти|не знаю)`,
    `‹(?:нет|не найдено|отсутствует) (?:\\p{L}+ )?информаци`,
    `‹(?:źródła|źródłach|dokumenty|dokumentach|kontekst|teksty|materiały)›…‹nie (?:zawiera\\p{L}*|wspomina\\p{L}*|poda\\p{L}*|odpowiada\\p{L}*|ma …(?:informacji|odpowiedzi|wzmianki)|mówi\\p{L}*|znalaz\\p{L}*)`,
    `‹nie (?:znalaz\\p{L}+|mogę (?:znaleźć|odpowiedzieć)|udało mi się znaleźć|wiem›|ma …informacji)`,
    `‹brak informacji›`,
    // Swedish, Danish, Norwegian and Turkish
    `‹(?:källorna|källor|dokumenten|texterna|kilderne|kildene|dokumenterne)›…‹(?:innehåller|nämner|säger|anger|ger|svarar|besvarar|indeholder|nævner|inneholder|nevner)›…‹(?:inte|ingen|inga|inget|ikke|intet|ingenting)›`,
    `‹jag (?:kunde|kan|har|hittar|vet)›…‹(?:inte|ingen|inga|inget)›`,
    `‹(?:kaynaklar\\p{L}*|belgeler\\p{L}*|metin\\p{L}*)›…(?:içermiyor|bulunm|belirtilm|yok›|yer almıyor|bahsetmiyor)`,
    // Chinese, Japanese and Korean
    '(?:来源|來源|资料|資料|上下文|原文|(?:提供的|给定的|給定的|上述|以上|这些|這些|所给|现有|参考)(?:文档|文檔|文件|材料|内容|信息))[^。！？]{0,30}(?:没有|沒有|未|不|无法|無法|並未|并未|找不到)[^。！？]{0,10}(?:提到|提及|说明|說明|包含|涉及|找到|回答|相关|相關|信息|资讯|記載|记载|指出|讨论)',
    '(?:没有|沒有|未能|未|无法|無法)(?:能)?(?:找到|查到|检索到|提供)[^。！？]{0,20}(?:信息|資訊|内容|答案|资料)',
    '(?:找不到|没有|沒有)[^。！？]{0,20}(?:相关信息|相關資訊|相关内容|答案)',
    '(?:无法|無法|不能)(?:根据[^。！？]{0,20})?回答',
    '(?:情報源|資料|ソース|文書|出典|コンテキスト|提供された情報|文脈)[^。！？]{0,60}(?:(?:情報|記述|記載|言及|回答|答え)[^。！？]{0,10}(?:ありません|見つかりません|ない)|(?:記載|言及)されていません|書かれていません|(?:情報|回答|答え)[^。！？]{0,10}含まれていません)',
    '(?:見つかりませんでした|見つけられませんでした|お答えできません|わかりません|分かりません)',
    '(?:출처|자료|문서|제공된 정보|문맥)[^.!?]{0,60}(?:(?:정보|내용|언급|답변?|설명)[^.!?]{0,10}(?:없습니다|않습니다)|(?:언급|명시|설명|기재|나와)[^.!?]{0,8}않습니다|찾을 수 없)',
    '(?:찾을 수 없습니다|답할 수 없습니다|알 수 없습니다)',
  ],
  contrasts: 'ma|però|tuttavia|bensì|mas|porém|contudo|apenas|maar|echter|alleen|но|однако|ale|jednak|men|ama|ancak',
  politeness:
    'mi dispiace|per favore|se (?:ha|vuole|può|você|tiver|quiser)|desculpe|infelizmente|helaas|sorry|het spijt me|als u|als je|к сожалению|извините|пожалуйста|niestety|przepraszam|proszę|tyvärr|üzgünüm|lütfen',
};

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

/** Words that may stand beside small talk in these languages. */
export const OTHER_FILLERS = 'tutti|e|wszystkim|всем|и|大家|さん|여러분';
