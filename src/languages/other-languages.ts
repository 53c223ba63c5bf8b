import type { FollowUpWords, LanguageMarks, ModelPhrases } from './language.ts';

// What is known of languages beyond those of `languages.ts`: enough to tell them, and not to take small talk, follow-ups and refusals for anything else. Their
// speakers get English sentences from kb, and their own language from a model.

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
  nl: { beginnings: 'hoe waar wanneer waarom wie wat welke hoeveel', leans: 'duur lang kost vaak veel komt gaat kunt' },
  vi: { mark: /[ơưđạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/u },
  hu: { mark: /[őű]/u },
};

/** What tells a language, with its code. Languages with letters of their own are told by these (`detect.ts`). */
export const OTHER_MARKS = Object.entries(FUNCTION_WORDS).map(([code, functionWords]): [code: string, marks: LanguageMarks] => [
  code,
  { functionWords, ...FURTHER_MARKS[code] },
]);

/** Kinds of words that are only known of whole languages. */
type OnlyOfWhole = 'askingOn' | 'pronouns' | 'pointingEnds' | 'vague';

/** Words of follow-ups. Italian, Portuguese, Dutch, and some of Russian, Chinese, Japanese and Korean. */
export const OTHER_FOLLOW_UPS: Omit<FollowUpWords, OnlyOfWhole> & { courtesies: string } = {
  conjunctions: 'e|ma|mas|en|maar|и|а|но|그럼|그리고',
  courtesies: 'grazie|obrigado',
  pointers: 'esso|essa|questo|questa|quello|quella|allora|ele|ela|eles|elas|isso|isto|hij|zij|hem|haar|hun|deze|dan|daar|daarna',
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
export const OTHER_PHRASES: Pick<ModelPhrases, 'refusals' | 'turns' | 'politeness'> = {
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
  turns: 'ma|però|tuttavia|bensì|mas|porém|contudo|apenas|maar|echter|alleen|но|однако|ale|jednak|men|ama|ancak',
  politeness:
    'mi dispiace|per favore|se (?:ha|vuole|può|você|tiver|quiser)|desculpe|infelizmente|helaas|sorry|het spijt me|als u|als je|к сожалению|извините|пожалуйста|niestety|przepraszam|proszę|tyvärr|üzgünüm|lütfen',
};
