// How models say that the sources do not answer, in lower case and with straight apostrophes. An answer is often about documents, data or a text, too; so
// each pattern wants more than such a word: an article or "provided", and a verb or a noun of telling.

const words = (pattern: string): RegExp => new RegExp(pattern.replaceAll('…', String.raw`[^.!?。！？;:]{0,90}?`), 'iu');
const B = String.raw`(?<![\p{L}\p{N}])`;
const E = String.raw`(?![\p{L}\p{N}])`;

const GIVEN = '(?:provided|given|available|supplied|retrieved|quoted|listed|cited|above)';
const THE = `${B}(?:(?:the|these|those|this|your|my|any of the|all)(?: (?:${GIVEN}|numbered|following|relevant|other|search|\\p{N}+|two|three))*|${GIVEN}) `;
/** What hardly anything but the prompt is called. */
const PROMPTED = `(?:^sources|${THE}(?:sources?|passages?|contexts?|excerpts?|snippets?|search results?)|${B}(?:the |any |this )?information ${GIVEN}|${B}(?:the |this )?${GIVEN} (?:documents?|texts?|materials?|documentation|information))${E}`;
/** What an answer may be about, too. */
const SOURCES = `(?:${PROMPTED}|${THE}(?:documents?|texts?|materials?|documentation|knowledge base)${E})`;
const SAY =
  '(?:mention|say|specify|specifie|state|answer|address|addresse|discuss|discusse|cover|describe|list|tell|indicate|explain|define|refer)s?';
const HOLD = '(?:contain|include|provide|give)s?';
const NEWS =
  '(?:(?:any|enough|sufficient|specific|relevant|further|direct|explicit|an?|the) )*(?:information|details?|mention|answer|reference to|anything about)';
const NOT =
  "(?:,? (?:provided|given|available|above|listed|supplied|here|i|you|we|that|for|from|at|in|shown|quoted|themselves)\\b…)? (?:\\p{L}+ly )?(?:do not|does not|did not|don't|doesn't|didn't|cannot|can't|can not|could not)(?: \\p{L}+ly| appear to| seem to)?";
/** What follows a word for information that is missing: not "information desk". */
const MISSING = `(?= (?:about|on|of|for|to|that|as|whether|how|what|where|who|when|why|regarding|concerning|related|relating|in|from|here|${GIVEN})${E}|[,.!]|$)`;

const ENGLISH = [
  `${SOURCES}${NOT} ${SAY}${E}`,
  `${SOURCES}${NOT} ${HOLD} ${NEWS}${E}`,
  `${PROMPTED}${NOT} ${HOLD}${E}`,
  `${SOURCES} (?:have|has|${HOLD}) (?:no|not any|not enough|insufficient) (?:(?:relevant|specific|such|further|direct) )*(?:information|details?|mention|answer|reference to)${MISSING}`,
  `${B}(?:none|neither|nothing) (?:of|in) ${SOURCES} …(?:${SAY}|${HOLD}|about|relevant)${E}`,
  `${B}i(?:'m| am| was)? (?:sorry,? )?(?:unable to|not able to|could not|couldn't|can't|cannot|can not|did not|didn't|do not|don't) (?:find|locate|answer|determine|see any (?:information|mention|reference))${E}`,
  `${B}we (?:were unable to|could not|couldn't|did not|didn't) (?:find|locate|determine)${E}`,
  `${B}i (?:do not|don't) know${E}`,
  `${B}i (?:do not|don't) have (?:(?:any|enough|sufficient|specific|that|further) )*(?:information|details?)${MISSING}`,
  `${B}i (?:do not|don't) have (?:enough|sufficient) (?:context|data)${MISSING}`,
  `${B}(?:there is|there's|there are|there was) (?:no|not any|not enough|insufficient)(?: \\p{L}+)? (?:information|mention|details?|answer|indication|reference to)${MISSING}`,
  `${B}(?:there is|there's|there are|there was) (?:no|not any|not enough|insufficient|nothing)${E}…${B}(?:in|from) ${PROMPTED}`,
  `${B}no (?:(?:relevant|specific|such|further) )*(?:information|mention|details?|answer|reference)s?${MISSING}…(?:${B}(?:is|was|were|are|could be) (?:found|available)${E}|${B}(?:in|from|by) ${SOURCES})`,
  `${B}no (?:(?:relevant|specific|such|further) )*(?:information|mention|details?|answer|reference)s? (?:(?:is|was|were|are|could be) )?(?:found|available)${E}`,
  `${B}no (?:(?:relevant|specific|such|further|provided|given) )*(?:source|passage|document|excerpt)s? …(?:contain|mention|answer|describe|discusse?|addresse?)s?${E}`,
  `${B}(?:is|are|was|were)(?: not|n't) (?:mentioned|specified|stated|covered|discussed|described|addressed|answered|defined|explained|found)(?: anywhere)? (?:in|by|from) ${SOURCES}`,
  `${B}(?:is|are|was|were)(?: not|n't) (?:provided|included|contained|given|available|listed)(?: anywhere)? (?:in|by|from) ${PROMPTED}`,
  `^not (?:mentioned|specified|stated|found|answered|contained|covered|available|given)? ?(?:in|by) ${SOURCES}`,
];

const DIE = `${B}(?:(?:die|den|der|das|dem|diese|diesen|dieser|dieses|diesem|ihre|ihren|im|zum) )(?:(?:bereitgestellt|angegeben|vorliegend|vorhanden|gegeben|gefunden|verfügbar|genannt|obig)\\p{L}* )?`;
const GERMAN = [
  `${DIE}(?:quellen?|dokumente?n?|kontext|unterlagen|textstellen?|passagen?|auszügen?|texte?n?|materialien|wissensdatenbank|informationen)${E}…${B}(?:nennen|nennt|erwähnen|erwähnt|beantworten|beantwortet|sagen|sagt|beschreiben|behandeln|gehen|geht|steht|stehen)${E}…${B}(?:nicht|keinen?|keinerlei|nichts|keine)${E}`,
  `${DIE}(?:quellen?|kontext|unterlagen|textstellen?|passagen?|auszügen?|wissensdatenbank)${E}…${B}(?:enthalten|enthält|geben|gibt|liefern|liefert|machen|macht|findet|finden|finde|gibt es|lässt|lassen)${E}…${B}(?:nicht|keinen?|keinerlei|nichts|keine)${E}`,
  `${DIE}(?:dokumente?n?|texte?n?|materialien|informationen)${E}…${B}(?:enthalten|enthält|geben|gibt|liefern|liefert|machen|macht|findet|finden|gibt es)${E}…${B}(?:nichts|(?:keine|keinerlei) (?:\\p{L}+ )?(?:informationen|angaben?|auskunft|hinweise?|antwort))${E}`,
  `${B}(?:konnte|kann|habe|weiß) ich${E}…${B}(?:nicht|keinen?|keine|nichts)${E}`,
  `${B}ich (?:konnte|kann|habe|finde|weiß)${E}…${B}(?:nicht|keinen?|keine|nichts)${E}`,
  `${B}(?:dazu|darüber|hierzu|hierüber|zu dieser frage)${E}…${B}(?:keine|nichts|keinerlei)${E}`,
  `${B}(?:keine|keinerlei) (?:informationen|angaben|hinweise|antwort)${E}…(?:in den (?:quellen|dokumenten|unterlagen|texten|auszügen)|gefunden|enthalten|vorhanden|verfügbar)${E}`,
  `${B}(?:wird|werden|ist|sind)${E}…${B}(?:den|diesen|ihren|im) (?:\\p{L}+en )?(?:quellen|dokumenten|unterlagen|texten|kontext|auszügen)${E}…${B}nicht (?:erwähnt|genannt|angegeben|enthalten|beschrieben|behandelt|beantwortet|aufgeführt)${E}`,
];

const FRENCH = [
  `${B}(?:sources?|documents?|contexte|extraits?|passages?|textes?|informations? fournies?)${E}…${B}(?:ne |n')(?:\\p{L}+ )?(?:mentionn|précis|indiqu|parl|répond|dis|trait|évoqu|spécifi|abord)\\p{L}*${E}…${B}(?:pas|aucune?|rien)${E}`,
  `${B}(?:sources?|contexte|extraits?|passages?|informations? fournies?)${E}…${B}(?:ne |n')(?:contien|fourni|donn|comport|permet|inclu)\\p{L}*${E}…${B}(?:pas|aucune?|rien)${E}`,
  `${B}(?:documents?|textes?)${E}…${B}(?:ne |n')(?:contien|fourni|donn|comport)\\p{L}* (?:pas|aucune?) (?:d'|de )?(?:information|réponse|précision|détail|indication)s?${E}`,
  `${B}je (?:ne |n')(?:…)(?:pas|rien|aucune?)${E}…(?:trouv|répon|inform|source|sais|dispose|document)`,
  `${B}je n'ai (?:pas|rien) (?:pu )?trouv`,
  `${B}je n'ai trouvé aucune?${E}`,
  `${B}aucune? (?:information|source|mention|document|passage|extrait|des (?:sources|documents|extraits|passages))${E}…(?:${B}(?:ne |n')\\p{L}*…(?:trouv|répond|mention|contien|parl|trait|évoqu|disponible)|${B}dans (?:les|ces|vos) (?:sources|documents|extraits|passages|textes)${E})`,
  `${B}il n'y a (?:pas|aucune?|rien)…(?:information|mention|indication)s?${E}…(?:${B}(?:sur|concernant|à ce sujet|dans les)${E}|$)`,
  `${B}il n'y a (?:pas|aucune?|rien)${E}…${B}dans (?:les|ces) (?:sources|extraits|passages)${E}`,
];

const SPANISH = [
  `${B}(?:fuentes?|documentos?|contexto|pasajes?|textos?|fragmentos?)${E}…${B}no (?:se )?(?:mencionan?|indican?|especifican?|responden?|dicen?|hablan)${E}`,
  `${B}(?:(?:las|la|estas|los|estos|el|este) (?:fuentes?|contexto|pasajes?|fragmentos?))${E}…${B}no (?:se )?(?:contienen?|incluyen?|proporcionan?|ofrecen?|dan|aparecen?|hay|encuentra)${E}`,
  `${B}(?:documentos?|textos?)${E}…${B}no (?:se )?(?:contienen?|incluyen?|proporcionan?|ofrecen?|dan|hay|encuentra) (?:ninguna )?(?:información|respuesta|detalles|mención|nada)${E}`,
  `${B}no (?:he |pude |puedo |logré |se |te |le )*(?:encontr(?:é|ado|ar|ó)|encuentro|responder|hallado|halló)${E}`,
  `${B}no (?:hay|tengo|dispongo de|existe|existen) (?:suficiente |ninguna )?(?:información|respuesta|mención)${E}`,
  `${B}(?:ninguna|ninguno) de (?:las|los) (?:fuentes|documentos|pasajes|textos)${E}`,
  `${B}no se menciona…(?:fuentes|documentos|textos|contexto)${E}`,
];

const ITALIAN = [
  `${B}(?:(?:le|la|i|il|gli|nelle|nei|questi|queste) (?:fonti|fonte|contesto|brani|passaggi|estratti))${E}…${B}non (?:contengono|contiene|forniscono|fornisce|riportano|riporta)${E}`,
  `${B}(?:documenti|documento|testi)${E}…${B}non (?:contengono|contiene|forniscono|fornisce|riportano|riporta) (?:alcuna )?(?:informazioni|informazione|risposta|dettagli)${E}`,
  `${B}(?:fonti|fonte|documenti|documento|contesto|testi|brani|passaggi|estratti)${E}…${B}non (?:menzionano|menziona|indicano|indica|rispondono|risponde|specificano|specifica|dicono|dice|parlano|parla)${E}`,
  `${B}non (?:ho trovato|trovo|sono riuscit[oa]|posso rispondere|riesco|so${E}|dispongo)`,
  `${B}non (?:ci sono|c'è|sono presenti) (?:\\p{L}+ )?(?:informazioni|risposta|menzione)${E}`,
  `${B}nessuna (?:delle fonti|fonte|informazione)${E}…(?:trovat|disponibil|rispond|menzion|contien|parla|fonti${E})`,
];

const PORTUGUESE = [
  `${B}(?:fontes?|documentos?|contexto|textos?|trechos?|passagens)${E}…${B}não (?:mencionam?|indicam?|respondem?|especificam?|dizem|diz|informam?|falam?)${E}`,
  `${B}(?:as|os|o|nas|nos|estas|estes) (?:fontes?|contexto|trechos?|passagens)${E}…${B}não (?:contêm|contém|fornecem?|incluem?|trazem)${E}`,
  `${B}(?:documentos?|textos?)${E}…${B}não (?:contêm|contém|fornecem?|incluem?|trazem) (?:informaç|resposta|detalhes)`,
  `${B}não (?:encontrei|encontro|consegui|foi possível (?:encontrar|localizar|determinar|responder)|posso responder|sei${E}|localizei)`,
  `${B}não (?:há|existem?|tenho|disponho de) (?:\\p{L}+ )?(?:informaç|resposta|menção)`,
  `${B}nenhuma (?:das fontes|fonte|informação)${E}…(?:encontrad|disponív|respond|mencion|contém|fala|fontes${E})`,
];

const DUTCH = [
  `${B}(?:de|deze|het|dit) (?:\\p{L}+e )?(?:bronnen|bron|documenten|document|context|tekst|teksten|passages|fragmenten)${E}…${B}(?:vermelden|vermeldt|noemen|noemt|zeggen|zegt|beantwoorden|beantwoordt|staat|vind)${E}…${B}(?:geen|niet|niets)${E}`,
  `${B}(?:de|deze) (?:\\p{L}+e )?(?:bronnen|bron|context|passages|fragmenten)${E}…${B}(?:bevatten|bevat|geven|geeft)${E}…${B}(?:geen|niet|niets)${E}`,
  `${B}(?:documenten|document|tekst|teksten)${E}…${B}(?:bevatten|bevat|geven|geeft) geen (?:informatie|antwoord|details)${E}`,
  `${B}(?:ik (?:kon|kan|heb|weet)|(?:kon|kan|heb) ik)${E}…${B}(?:geen|niet|niets)${E}`,
  `${B}(?:er is|er staat|er zijn) geen (?:\\p{L}+ )?(?:informatie|vermelding)${E}`,
  `${B}er (?:is|staat|zijn) (?:geen|niets)${E}…${B}in de (?:bronnen|passages|fragmenten)${E}`,
];

const EASTERN_EUROPE = [
  `${B}(?:источник\\p{L}*|документ\\p{L}*|контекст\\p{L}*|текст\\p{L}*|материал\\p{L}*)${E}…(?:не содерж|не упомин|не указ|не сказан|не говор|не отвеча|${B}нет${E}…(?:информац|сведени|ответ|данных|упомин))`,
  `${B}(?:я )?(?:не наш[её]?л\\p{L}*|не удалось найти|не могу (?:найти|ответить)|не смогл?а? найти|не знаю)`,
  `${B}(?:нет|не найдено|отсутствует) (?:\\p{L}+ )?информаци`,
  `${B}(?:źródła|źródłach|dokumenty|dokumentach|kontekst|teksty|materiały)${E}…${B}nie (?:zawiera\\p{L}*|wspomina\\p{L}*|poda\\p{L}*|odpowiada\\p{L}*|ma …(?:informacji|odpowiedzi|wzmianki)|mówi\\p{L}*|znalaz\\p{L}*)`,
  `${B}nie (?:znalaz\\p{L}+|mogę (?:znaleźć|odpowiedzieć)|udało mi się znaleźć|wiem${E}|ma …informacji)`,
  `${B}brak informacji${E}`,
];

const NORTH = [
  `${B}(?:källorna|källor|dokumenten|texterna|kilderne|kildene|dokumenterne)${E}…${B}(?:innehåller|nämner|säger|anger|ger|svarar|besvarar|indeholder|nævner|inneholder|nevner)${E}…${B}(?:inte|ingen|inga|inget|ikke|intet|ingenting)${E}`,
  `${B}jag (?:kunde|kan|har|hittar|vet)${E}…${B}(?:inte|ingen|inga|inget)${E}`,
  `${B}(?:kaynaklar\\p{L}*|belgeler\\p{L}*|metin\\p{L}*)${E}…(?:içermiyor|bulunm|belirtilm|yok${E}|yer almıyor|bahsetmiyor)`,
];

const ASIA = [
  '(?:来源|來源|资料|資料|上下文|原文|(?:提供的|给定的|給定的|上述|以上|这些|這些|所给|现有|参考)(?:文档|文檔|文件|材料|内容|信息))[^。！？]{0,30}(?:没有|沒有|未|不|无法|無法|並未|并未|找不到)[^。！？]{0,10}(?:提到|提及|说明|說明|包含|涉及|找到|回答|相关|相關|信息|资讯|記載|记载|指出|讨论)',
  '(?:没有|沒有|未能|未|无法|無法)(?:能)?(?:找到|查到|检索到|提供)[^。！？]{0,20}(?:信息|資訊|内容|答案|资料)',
  '(?:找不到|没有|沒有)[^。！？]{0,20}(?:相关信息|相關資訊|相关内容|答案)',
  '(?:无法|無法|不能)(?:根据[^。！？]{0,20})?回答',
  '(?:情報源|資料|ソース|文書|出典|コンテキスト|提供された情報|文脈)[^。！？]{0,60}(?:(?:情報|記述|記載|言及|回答|答え)[^。！？]{0,10}(?:ありません|見つかりません|ない)|(?:記載|言及)されていません|書かれていません|(?:情報|回答|答え)[^。！？]{0,10}含まれていません)',
  '(?:見つかりませんでした|見つけられませんでした|お答えできません|わかりません|分かりません)',
  '(?:출처|자료|문서|제공된 정보|문맥)[^.!?]{0,60}(?:(?:정보|내용|언급|답변?|설명)[^.!?]{0,10}(?:없습니다|않습니다)|(?:언급|명시|설명|기재|나와)[^.!?]{0,8}않습니다|찾을 수 없)',
  '(?:찾을 수 없습니다|답할 수 없습니다|알 수 없습니다)',
];

/** Ways to say it. */
export const REFUSALS: readonly RegExp[] = [
  ENGLISH,
  GERMAN,
  FRENCH,
  SPANISH,
  ITALIAN,
  PORTUGUESE,
  DUTCH,
  EASTERN_EUROPE,
  NORTH,
  ASIA,
].flatMap((patterns) => patterns.map(words));

/** What goes on with something else behind it: then it is an answer. */
export const TURNING = words(
  `[;:]|${B}(?:but|however|although|though|instead|while|whereas|except|still|yet|only|aber|jedoch|allerdings|sondern|hingegen|während|nur|mais|cependant|toutefois|sauf|seulement|pero|sin embargo|sino|aunque|solo|ma|però|tuttavia|bensì|mas|porém|contudo|apenas|maar|echter|alleen|но|однако|ale|jednak|men|ama|ancak)${E}|但|不过|しかし|ですが|ますが|하지만|지만`,
);

/** How a politeness beside it begins. */
export const POLITE = words(
  `^(?:${B}(?:please|sorry|apologies|i apologi[sz]e|i'm (?:sorry|afraid)|i am (?:sorry|afraid)|unfortunately|if you (?:have|can|could|need|want|would|provide|share|tell|give)|feel free|let me know|you (?:may|might|could) (?:want|wish|try|check|consult|ask|contact)|try |for (?:more|further)|i(?:'d| would) (?:recommend|suggest)|bitte|leider|entschuldigung|es tut mir leid|tut mir leid|wenn sie|falls sie|veuillez|désolée?|je suis désolée?|n'hésitez|si vous|por favor|lo siento|lamentablemente|si (?:necesita|tiene|quiere|puede)|mi dispiace|per favore|se (?:ha|vuole|può|você|tiver|quiser)|desculpe|infelizmente|helaas|sorry|het spijt me|als u|als je|к сожалению|извините|пожалуйста|niestety|przepraszam|proszę|tyvärr|üzgünüm|lütfen)${E}|抱歉|对不起|很遗憾|请|申し訳|すみません|恐れ入|죄송)(?!…${B}note)`,
);
