// How models say that the sources do not answer, in lower case and with straight apostrophes.

const words = (pattern: string): RegExp => new RegExp(pattern.replaceAll('…', String.raw`[^.!?。！？;:]{0,90}?`), 'iu');
const B = String.raw`(?<![\p{L}\p{N}])`;
const E = String.raw`(?![\p{L}\p{N}])`;

const SOURCES =
  '(?:sources?|documents?|passages?|contexts?|texts?|excerpts?|materials?|documentation|knowledge base|search results?|snippets?|information (?:provided|given|available|supplied|above)|(?:provided|given|available|supplied) information)';
const TELL =
  '(?:contain|mention|include|provide|say|specify|state|answer|address|discuss|cover|give|describe|list|tell|indicate|explain|define|have|offer|refer|support)s?';
const NOT = "(?:do not|does not|did not|don't|doesn't|didn't|cannot|can't|can not|could not)";

const ENGLISH = [
  `${B}${SOURCES}${E}(?:,? (?:provided|given|available|above|listed|supplied|here|i|you|we|that|for|from|at|in|shown|quoted|themselves)${E}…)? (?:\\p{L}+ly )?${NOT}(?: \\p{L}+ly| appear to| seem to)? ${TELL}${E}`,
  `${B}(?:none|neither|nothing) (?:of|in) (?:the |these |this |your )?…${SOURCES}${E}`,
  `${B}(?:i|we)(?:'m| am| was| were| are)? (?:sorry,? )?(?:unable to|not able to|could not|couldn't|can't|cannot|can not|did not|didn't|do not|don't) (?:find|locate|see|answer|determine)${E}`,
  `${B}(?:i|we) (?:do not|don't) (?:know|have (?:any |enough |sufficient |specific |that )*(?:information|details?|data|context|sources))${E}`,
  `${B}(?:there is|there's|there are|there was) (?:no|not any|not enough|insufficient|nothing)(?: \\p{L}+)? ?(?:information|mention|details?|data|answer|reference|indication|sources?|passages?|in the|about|on)${E}`,
  `${B}no (?:relevant |specific |such |further )*(?:information|mention|details?|answer|reference|source|passage|document)s? …(?:found|available|provided|given|contains?|mentions?|in the|on|about)${E}`,
  `${B}(?:is|are|was|were)(?: not|n't) (?:mentioned|specified|stated|provided|included|contained|covered|discussed|described|addressed|answered|found|given|available|listed)(?: anywhere)? (?:in|by|from) …${SOURCES}${E}`,
  `^not (?:mentioned|specified|stated|found|answered|contained|covered|available|given)? ?(?:in|by) …${SOURCES}${E}`,
];

const GERMAN = [
  `${B}(?:quellen?|dokumente?n?|kontext|unterlagen|textstellen?|passagen?|auszügen?|texte?n?|materialien|wissensdatenbank|informationen)${E}…${B}(?:enthalten|enthält|nennen|nennt|erwähnen|erwähnt|geben|gibt|beantworten|beantwortet|sagen|sagt|liefern|liefert|machen|macht|beschreiben|behandeln|gehen|geht|steht|stehen|findet|finden|gibt es|lässt|lassen)${E}…${B}(?:nicht|keinen?|keinerlei|nichts|keine)${E}`,
  `${B}(?:konnte|kann|habe|weiß) ich${E}…${B}(?:nicht|keinen?|keine|nichts)${E}`,
  `${B}ich (?:konnte|kann|habe|finde|weiß)${E}…${B}(?:nicht|keinen?|keine|nichts)${E}`,
  `${B}(?:dazu|darüber|hierzu|hierüber|zu dieser frage)${E}…${B}(?:keine|nichts|keinerlei)${E}`,
  `${B}(?:keine|keinerlei) (?:informationen|angaben|hinweise|antwort|quellen?)${E}…(?:in den|zu|über|gefunden|enthalten|vorhanden|verfügbar)${E}`,
  `${B}(?:wird|werden|ist|sind)${E}…${B}(?:quellen|dokumenten|unterlagen|texten|kontext|auszügen)${E}…${B}nicht (?:erwähnt|genannt|angegeben|enthalten|beschrieben|behandelt|beantwortet|aufgeführt)${E}`,
];

const FRENCH = [
  `${B}(?:sources?|documents?|contexte|extraits?|passages?|textes?|informations? fournies?)${E}…${B}(?:ne |n')…(?:pas|aucune?|rien)${E}`,
  `${B}je (?:ne |n')(?:…)(?:pas|rien|aucune?)${E}…(?:trouv|répon|inform|source|sais|dispose|document)`,
  `${B}je n'ai (?:pas|rien) (?:pu )?trouv`,
  `${B}je n'ai trouvé aucune?${E}`,
  `${B}aucune? (?:information|source|mention|document|passage|extrait|des sources)${E}`,
  `${B}il n'y a (?:pas|aucune?|rien)…(?:information|source|mention|document|indication)`,
];

const SPANISH = [
  `${B}(?:fuentes?|documentos?|contexto|pasajes?|textos?|fragmentos?)${E}…${B}no (?:se )?(?:contienen?|mencionan?|indican?|incluyen?|especifican?|responden?|dicen?|proporcionan?|ofrecen?|dan|hablan|aparecen?|hay|encuentra)${E}`,
  `${B}no (?:he |pude |puedo |logré |se |te |le )*(?:encontr[\\p{L}]*|encuentro|responder|hallado|halló)${E}`,
  `${B}no (?:hay|tengo|dispongo de|existe|existen) (?:suficiente |ninguna )?(?:información|datos|respuesta|mención|fuentes?)${E}`,
  `${B}(?:ninguna|ninguno) de (?:las|los) (?:fuentes|documentos|pasajes|textos)${E}`,
  `${B}no se menciona…(?:fuentes|documentos|textos|contexto)${E}`,
];

const ITALIAN = [
  `${B}(?:fonti|fonte|documenti|documento|contesto|testi|brani|passaggi|estratti)${E}…${B}non (?:contengono|contiene|menzionano|menziona|indicano|indica|rispondono|risponde|specificano|specifica|forniscono|fornisce|dicono|dice|riportano|riporta|parlano|parla)${E}`,
  `${B}non (?:ho trovato|trovo|sono riuscit[oa]|posso rispondere|riesco|so${E}|dispongo)`,
  `${B}non (?:ci sono|c'è|sono presenti) …(?:informazioni|risposta|fonti|menzione|dati)${E}`,
  `${B}nessuna (?:delle fonti|fonte|informazione|delle)${E}`,
];

const PORTUGUESE = [
  `${B}(?:fontes?|documentos?|contexto|textos?|trechos?|passagens)${E}…${B}não (?:contêm|contém|mencionam?|indicam?|respondem?|especificam?|fornecem?|dizem|diz|incluem?|informam?|trazem|falam?)${E}`,
  `${B}não (?:encontrei|encontro|consegui|foi possível|posso responder|sei${E}|localizei)`,
  `${B}não (?:há|existem?|tenho|disponho de) …(?:informaç|resposta|menção|fontes?|dados)`,
  `${B}nenhuma (?:das fontes|fonte|informação)${E}`,
];

const DUTCH = [
  `${B}(?:bronnen|bron|documenten|document|context|tekst|teksten|passages|fragmenten)${E}…${B}(?:bevatten|bevat|vermelden|vermeldt|noemen|noemt|geven|geeft|zeggen|zegt|beantwoorden|beantwoordt|staat|vind)${E}…${B}(?:geen|niet|niets)${E}`,
  `${B}(?:ik (?:kon|kan|heb|weet)|(?:kon|kan|heb) ik)${E}…${B}(?:geen|niet|niets)${E}`,
  `${B}(?:er is|er staat|er zijn) (?:geen|niets)…(?:informatie|bron|vermelding|over)`,
];

const EASTERN_EUROPE = [
  `${B}(?:источник\\p{L}*|документ\\p{L}*|контекст\\p{L}*|текст\\p{L}*|материал\\p{L}*)${E}…(?:не содерж|не упомин|не указ|не сказан|не говор|не дают|не отвеча|${B}нет${E})`,
  `${B}(?:я )?(?:не наш[её]?л\\p{L}*|не удалось найти|не могу (?:найти|ответить)|не смогл?а? найти|не знаю)`,
  `${B}(?:нет|не найдено|отсутствует) …информаци`,
  `${B}(?:źródła|źródłach|dokumenty|dokumentach|kontekst|teksty|materiały)${E}…${B}nie (?:zawiera\\p{L}*|wspomina\\p{L}*|poda\\p{L}*|odpowiada\\p{L}*|ma|mówi\\p{L}*|znalaz\\p{L}*)`,
  `${B}nie (?:znalaz\\p{L}+|mogę (?:znaleźć|odpowiedzieć)|udało mi się znaleźć|wiem${E}|ma …informacji)`,
  `${B}brak informacji${E}`,
];

const NORTH = [
  `${B}(?:källorna|källor|dokumenten|texterna|kilderne|kildene|dokumenterne)${E}…${B}(?:innehåller|nämner|säger|anger|ger|svarar|besvarar|indeholder|nævner|inneholder|nevner)${E}…${B}(?:inte|ingen|inga|inget|ikke|intet|ingenting)${E}`,
  `${B}jag (?:kunde|kan|har|hittar|vet)${E}…${B}(?:inte|ingen|inga|inget)${E}`,
  `${B}(?:kaynaklar\\p{L}*|belgeler\\p{L}*|metin\\p{L}*)${E}…(?:içermiyor|bulunm|belirtilm|yok${E}|yer almıyor|bahsetmiyor)`,
];

const ASIA = [
  '(?:来源|來源|资料|資料|文档|文檔|文件|上下文|材料|原文|内容)[^。！？]{0,30}(?:没有|沒有|未|不包含|无法|並未|并未|找不到)',
  '(?:没有|沒有|未能|未|无法|無法|找不到)[^。！？]{0,20}(?:找到|提供|回答|相关信息|相關資訊|信息|答案|相关内容)',
  '(?:情報源|資料|ソース|文書|出典|コンテキスト|提供された情報|文脈)[^。！？]{0,60}(?:ありません|見つかりません|含まれていません|記載されていません|記載がありません|書かれていません|言及されていません|ない)',
  '(?:見つかりませんでした|見つけられませんでした|お答えできません|わかりません|分かりません)',
  '(?:출처|자료|문서|제공된 정보|문맥)[^.!?]{0,60}(?:없습니다|않습니다|찾을 수 없)',
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
