/** What is said in place of an answer: the sources hold none, or nothing that was not said; something narrower should be asked; a refusal. */
export type FallbackMessages = Readonly<Record<'nothing' | 'no_more' | 'narrower' | 'refused', string>>;

/** Languages of Europe, as in small-talk-west.ts. */
export const WESTERN_FALLBACKS: Record<string, FallbackMessages> = {
  en: {
    nothing: 'The sources do not answer this.',
    no_more: 'The sources say no more about this.',
    narrower:
      'I found nothing that clearly answers this. Could you ask for something narrower, or name the product, document or term that you mean?',
    refused: 'I cannot answer this: nothing in the knowledge base supports an answer well enough.',
  },
  de: {
    nothing: 'Die Quellen beantworten das nicht.',
    no_more: 'Mehr sagen die Quellen dazu nicht.',
    narrower:
      'Ich habe nichts gefunden, was das klar beantwortet. Können Sie enger fragen oder das Produkt, das Dokument oder den Begriff nennen, den Sie meinen?',
    refused: 'Das kann ich nicht beantworten: Nichts in der Wissensbasis stützt eine Antwort gut genug.',
  },
  fr: {
    nothing: 'Les sources ne répondent pas à cette question.',
    no_more: "Les sources n'en disent pas plus.",
    narrower:
      "Je n'ai rien trouvé qui y réponde clairement. Pouvez-vous préciser la question, ou nommer le produit, le document ou le terme dont il s'agit ?",
    refused: 'Je ne peux pas répondre : rien dans la base de connaissances ne fonde assez bien une réponse.',
  },
  es: {
    nothing: 'Las fuentes no responden a esto.',
    no_more: 'Las fuentes no dicen nada más sobre esto.',
    narrower:
      'No he encontrado nada que lo responda con claridad. ¿Puede preguntar algo más concreto, o nombrar el producto, el documento o el término al que se refiere?',
    refused: 'No puedo responder a esto: nada en la base de conocimientos respalda lo suficiente una respuesta.',
  },
  it: {
    nothing: 'Le fonti non rispondono a questa domanda.',
    no_more: 'Le fonti non dicono altro su questo.',
    narrower:
      'Non ho trovato nulla che risponda chiaramente. Può fare una domanda più precisa, o nominare il prodotto, il documento o il termine che intende?',
    refused: 'Non posso rispondere: nulla nella base di conoscenza sostiene abbastanza una risposta.',
  },
  pt: {
    nothing: 'As fontes não respondem a isto.',
    no_more: 'As fontes não dizem mais nada sobre isto.',
    narrower:
      'Não encontrei nada que responda claramente a isto. Pode fazer uma pergunta mais precisa, ou indicar o produto, o documento ou o termo a que se refere?',
    refused: 'Não posso responder a isto: nada na base de conhecimento sustenta suficientemente uma resposta.',
  },
  nl: {
    nothing: 'De bronnen beantwoorden dit niet.',
    no_more: 'Meer zeggen de bronnen hier niet over.',
    narrower:
      'Ik heb niets gevonden dat dit duidelijk beantwoordt. Kunt u het preciezer vragen, of het product, het document of de term noemen die u bedoelt?',
    refused: 'Dit kan ik niet beantwoorden: niets in de kennisbank onderbouwt een antwoord goed genoeg.',
  },
  pl: {
    nothing: 'Źródła na to nie odpowiadają.',
    no_more: 'Źródła nie mówią o tym nic więcej.',
    narrower:
      'Nie znalazłem niczego, co by na to jasno odpowiadało. Czy możesz zapytać dokładniej albo podać produkt, dokument lub pojęcie, o które chodzi?',
    refused: 'Nie mogę na to odpowiedzieć: nic w bazie wiedzy nie potwierdza odpowiedzi wystarczająco dobrze.',
  },
  ru: {
    nothing: 'Источники не отвечают на этот вопрос.',
    no_more: 'Больше источники об этом ничего не говорят.',
    narrower:
      'Я не нашёл ничего, что ясно отвечало бы на это. Можете спросить точнее или назвать продукт, документ или термин, который вы имеете в виду?',
    refused: 'Я не могу на это ответить: ничто в базе знаний не подтверждает ответ достаточно хорошо.',
  },
  uk: {
    nothing: 'Джерела не відповідають на це запитання.',
    no_more: 'Більше джерела про це нічого не кажуть.',
    narrower:
      'Я не знайшов нічого, що ясно відповідало б на це. Можете запитати точніше або назвати продукт, документ чи термін, який маєте на увазі?',
    refused: 'Я не можу на це відповісти: ніщо в базі знань не підтверджує відповідь достатньо добре.',
  },
  cs: {
    nothing: 'Zdroje na to neodpovídají.',
    no_more: 'Více o tom zdroje neříkají.',
    narrower:
      'Nenašel jsem nic, co by na to jasně odpovídalo. Můžete se zeptat přesněji, nebo uvést produkt, dokument či pojem, který máte na mysli?',
    refused: 'Na to nemohu odpovědět: nic ve znalostní bázi odpověď dostatečně nepodporuje.',
  },
  sv: {
    nothing: 'Källorna besvarar inte detta.',
    no_more: 'Källorna säger inget mer om detta.',
    narrower:
      'Jag hittade inget som tydligt besvarar detta. Kan du fråga mer precist, eller nämna den produkt, det dokument eller den term du menar?',
    refused: 'Jag kan inte svara på detta: inget i kunskapsbasen ger tillräckligt stöd för ett svar.',
  },
  da: {
    nothing: 'Kilderne besvarer ikke dette.',
    no_more: 'Kilderne siger ikke mere om dette.',
    narrower:
      'Jeg fandt intet, der klart besvarer dette. Kan du spørge mere præcist, eller nævne det produkt, dokument eller begreb, du mener?',
    refused: 'Jeg kan ikke besvare dette: intet i vidensbasen understøtter et svar godt nok.',
  },
  fi: {
    nothing: 'Lähteet eivät vastaa tähän.',
    no_more: 'Lähteet eivät kerro tästä enempää.',
    narrower:
      'En löytänyt mitään, mikä vastaisi tähän selvästi. Voitko kysyä tarkemmin tai mainita tuotteen, asiakirjan tai termin, jota tarkoitat?',
    refused: 'En voi vastata tähän: mikään tietokannassa ei tue vastausta riittävästi.',
  },
  tr: {
    nothing: 'Kaynaklar buna yanıt vermiyor.',
    no_more: 'Kaynaklar bu konuda daha fazlasını söylemiyor.',
    narrower:
      'Buna açıkça yanıt veren bir şey bulamadım. Daha dar bir soru sorabilir ya da kastettiğiniz ürünü, belgeyi veya terimi belirtebilir misiniz?',
    refused: 'Buna yanıt veremem: bilgi tabanındaki hiçbir şey bir yanıtı yeterince desteklemiyor.',
  },
  el: {
    nothing: 'Οι πηγές δεν απαντούν σε αυτό.',
    no_more: 'Οι πηγές δεν λένε τίποτε άλλο γι’ αυτό.',
    narrower:
      'Δεν βρήκα τίποτα που να απαντά καθαρά σε αυτό. Μπορείτε να ρωτήσετε κάτι πιο συγκεκριμένο ή να αναφέρετε το προϊόν, το έγγραφο ή τον όρο που εννοείτε;',
    refused: 'Δεν μπορώ να απαντήσω: τίποτα στη βάση γνώσεων δεν στηρίζει αρκετά μια απάντηση.',
  },
};

/** Languages of Asia and further ones, as in small-talk-east.ts and small-talk-further.ts. */
export const OTHER_FALLBACKS: Record<string, FallbackMessages> = {
  ar: {
    nothing: 'المصادر لا تجيب عن هذا السؤال.',
    no_more: 'لا تذكر المصادر أكثر من ذلك.',
    narrower: 'لم أجد ما يجيب عن هذا بوضوح. هل يمكنك طرح سؤال أدق، أو تسمية المنتج أو المستند أو المصطلح الذي تقصده؟',
    refused: 'لا أستطيع الإجابة عن هذا: لا شيء في قاعدة المعرفة يدعم إجابة بما يكفي.',
  },
  he: {
    nothing: 'המקורות אינם עונים על כך.',
    no_more: 'המקורות אינם אומרים על כך יותר.',
    narrower: 'לא מצאתי דבר שעונה על כך בבירור. האם אפשר לשאול באופן ממוקד יותר, או לציין את המוצר, המסמך או המונח?',
    refused: 'איני יכול לענות על כך: דבר במאגר הידע אינו תומך בתשובה במידה מספקת.',
  },
  hi: {
    nothing: 'स्रोत इसका उत्तर नहीं देते।',
    no_more: 'स्रोत इसके बारे में और कुछ नहीं बताते।',
    narrower: 'मुझे ऐसा कुछ नहीं मिला जो इसका स्पष्ट उत्तर दे। क्या आप अधिक सटीक प्रश्न पूछ सकते हैं, या उस उत्पाद, दस्तावेज़ या शब्द का नाम बता सकते हैं?',
    refused: 'मैं इसका उत्तर नहीं दे सकता: ज्ञानकोष में कुछ भी उत्तर का पर्याप्त समर्थन नहीं करता।',
  },
  zh: {
    nothing: '资料来源没有回答这个问题。',
    no_more: '关于这一点，资料来源没有更多说明。',
    narrower: '我没有找到能明确回答这个问题的内容。您能问得更具体一些，或者说明您指的产品、文档或术语吗？',
    refused: '我无法回答这个问题：知识库中没有足以支持答案的内容。',
  },
  ja: {
    nothing: '資料にはこの質問への答えがありません。',
    no_more: 'これについて資料にはそれ以上の記載がありません。',
    narrower: 'はっきり答えている箇所が見つかりませんでした。もう少し具体的に質問するか、製品名、文書名、用語を教えていただけますか？',
    refused: 'お答えできません。ナレッジベースには答えを十分に裏付けるものがありません。',
  },
  ko: {
    nothing: '자료에는 이에 대한 답이 없습니다.',
    no_more: '이에 대해 자료에 더 나와 있는 내용은 없습니다.',
    narrower: '이에 명확히 답하는 내용을 찾지 못했습니다. 더 구체적으로 질문하거나, 찾으시는 제품, 문서 또는 용어를 알려 주시겠어요?',
    refused: '답변할 수 없습니다. 지식 베이스에 답을 충분히 뒷받침하는 내용이 없습니다.',
  },
  vi: {
    nothing: 'Các nguồn không trả lời câu hỏi này.',
    no_more: 'Các nguồn không nói gì thêm về điều này.',
    narrower:
      'Tôi không tìm thấy nội dung nào trả lời rõ điều này. Bạn có thể hỏi cụ thể hơn, hoặc nêu sản phẩm, tài liệu hay thuật ngữ mà bạn muốn nói không?',
    refused: 'Tôi không thể trả lời: không có gì trong kho kiến thức đủ để làm căn cứ.',
  },
  id: {
    nothing: 'Sumber-sumber tidak menjawab pertanyaan ini.',
    no_more: 'Sumber-sumber tidak mengatakan lebih banyak tentang ini.',
    narrower:
      'Saya tidak menemukan apa pun yang menjawab ini dengan jelas. Bisakah Anda bertanya lebih spesifik, atau menyebutkan produk, dokumen, atau istilah yang Anda maksud?',
    refused: 'Saya tidak dapat menjawab ini: tidak ada isi basis pengetahuan yang cukup mendukung jawaban.',
  },
  hu: {
    nothing: 'A források erre nem adnak választ.',
    no_more: 'A források erről nem mondanak többet.',
    narrower:
      'Nem találtam semmit, ami erre egyértelműen válaszolna. Tudna pontosabban kérdezni, vagy megnevezni a terméket, a dokumentumot vagy a fogalmat, amelyre gondol?',
    refused: 'Erre nem tudok válaszolni: a tudásbázisban semmi sem támaszt alá eléggé egy választ.',
  },
  ro: {
    nothing: 'Sursele nu răspund la această întrebare.',
    no_more: 'Sursele nu spun mai mult despre asta.',
    narrower:
      'Nu am găsit nimic care să răspundă clar. Puteți întreba mai precis sau numi produsul, documentul ori termenul la care vă referiți?',
    refused: 'Nu pot răspunde: nimic din baza de cunoștințe nu susține suficient un răspuns.',
  },
  hr: {
    nothing: 'Izvori ne odgovaraju na to.',
    no_more: 'Izvori o tome ne govore ništa više.',
    narrower:
      'Nisam našao ništa što na to jasno odgovara. Možete li pitati preciznije ili navesti proizvod, dokument ili pojam na koji mislite?',
    refused: 'Ne mogu odgovoriti na to: ništa u bazi znanja ne podupire odgovor dovoljno dobro.',
  },
  sk: {
    nothing: 'Zdroje na to neodpovedajú.',
    no_more: 'Viac o tom zdroje nehovoria.',
    narrower:
      'Nenašiel som nič, čo by na to jasne odpovedalo. Môžete sa opýtať presnejšie alebo uviesť produkt, dokument či pojem, ktorý máte na mysli?',
    refused: 'Na to nemôžem odpovedať: nič v znalostnej báze odpoveď dostatočne nepodporuje.',
  },
  bg: {
    nothing: 'Източниците не отговарят на този въпрос.',
    no_more: 'Източниците не казват повече по този въпрос.',
    narrower:
      'Не намерих нищо, което ясно да отговаря на това. Можете ли да попитате по-конкретно или да назовете продукта, документа или термина, който имате предвид?',
    refused: 'Не мога да отговоря на това: нищо в базата знания не подкрепя достатъчно добре отговор.',
  },
  ca: {
    nothing: 'Les fonts no responen a això.',
    no_more: 'Les fonts no en diuen res més.',
    narrower:
      'No he trobat res que ho respongui clarament. Podeu fer una pregunta més concreta, o dir el producte, el document o el terme a què us referiu?',
    refused: 'No puc respondre a això: res a la base de coneixement no sosté prou bé una resposta.',
  },
  sw: {
    nothing: 'Vyanzo havijibu swali hili.',
    no_more: 'Vyanzo havisemi zaidi kuhusu hili.',
    narrower:
      'Sikupata chochote kinachojibu hili waziwazi. Je, unaweza kuuliza kwa undani zaidi, au kutaja bidhaa, hati au neno unalomaanisha?',
    refused: 'Siwezi kujibu hili: hakuna kitu katika hifadhi ya maarifa kinachounga mkono jibu vya kutosha.',
  },
  tl: {
    nothing: 'Hindi ito sinasagot ng mga pinagmulan.',
    no_more: 'Wala nang ibang sinasabi ang mga pinagmulan tungkol dito.',
    narrower:
      'Wala akong nakitang malinaw na sumasagot dito. Maaari ka bang magtanong nang mas tiyak, o banggitin ang produkto, dokumento o terminong tinutukoy mo?',
    refused: 'Hindi ko ito masasagot: walang sapat na batayan para sa sagot sa kalipunan ng kaalaman.',
  },
  fa: {
    nothing: 'منابع به این پرسش پاسخ نمی‌دهند.',
    no_more: 'منابع بیش از این چیزی در این باره نمی‌گویند.',
    narrower: 'چیزی نیافتم که به روشنی به این پاسخ دهد. می‌توانید دقیق‌تر بپرسید، یا محصول، سند یا اصطلاح مورد نظرتان را نام ببرید؟',
    refused: 'نمی‌توانم به این پاسخ دهم: هیچ چیز در پایگاه دانش به اندازهٔ کافی از پاسخی پشتیبانی نمی‌کند.',
  },
  ur: {
    nothing: 'ذرائع اس کا جواب نہیں دیتے۔',
    no_more: 'ذرائع اس بارے میں مزید کچھ نہیں کہتے۔',
    narrower:
      'مجھے ایسا کچھ نہیں ملا جو اس کا واضح جواب دے۔ کیا آپ زیادہ متعین سوال پوچھ سکتے ہیں، یا اس مصنوعات، دستاویز یا اصطلاح کا نام بتا سکتے ہیں؟',
    refused: 'میں اس کا جواب نہیں دے سکتا: معلومات کے ذخیرے میں کوئی چیز جواب کی کافی تائید نہیں کرتی۔',
  },
  bn: {
    nothing: 'উৎসগুলিতে এর উত্তর নেই।',
    no_more: 'উৎসগুলি এ বিষয়ে আর কিছু বলে না।',
    narrower: 'স্পষ্ট উত্তর দেয় এমন কিছু পাইনি। আপনি কি আরও নির্দিষ্ট করে জিজ্ঞাসা করতে পারেন, অথবা যে পণ্য, নথি বা শব্দ বোঝাচ্ছেন তার নাম বলতে পারেন?',
    refused: 'এর উত্তর দিতে পারছি না: জ্ঞানভাণ্ডারে এমন কিছু নেই যা কোনো উত্তরকে যথেষ্ট সমর্থন করে।',
  },
  th: {
    nothing: 'แหล่งข้อมูลไม่ได้ตอบคำถามนี้',
    no_more: 'แหล่งข้อมูลไม่ได้กล่าวถึงเรื่องนี้มากกว่านี้',
    narrower: 'ไม่พบข้อมูลที่ตอบคำถามนี้อย่างชัดเจน คุณช่วยถามให้เจาะจงขึ้น หรือระบุชื่อผลิตภัณฑ์ เอกสาร หรือคำที่หมายถึงได้ไหม?',
    refused: 'ไม่สามารถตอบคำถามนี้ได้: ไม่มีสิ่งใดในฐานความรู้ที่สนับสนุนคำตอบได้เพียงพอ',
  },
};
