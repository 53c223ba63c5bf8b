import type { Instead } from './instead-west.ts';

/** Languages of Asia and further ones, as in small-talk-east.ts and small-talk-further.ts. */
export const FURTHER: Record<string, Instead> = {
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
