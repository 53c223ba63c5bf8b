/** What is said in place of an answer: the sources hold none, or nothing that was not said; something narrower should be asked; a refusal. */
export type Instead = Readonly<Record<'nothing' | 'no_more' | 'narrower' | 'refused', string>>;

/** Languages of Europe, as in small-talk-west.ts. */
export const WEST: Record<string, Instead> = {
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
