import type { SmallTalk } from './small-talk.ts';

/** Further languages, of which fewer phrases are known. */
export const OTHER_SMALL_TALK: Record<string, SmallTalk> = {
  hu: {
    greeting: ['szia|sziasztok|jó napot|jó napot kívánok|jó reggelt|jó estét|üdv|üdvözlöm', 'Jó napot! Mit szeretne tudni?'],
    thanks: ['köszönöm|köszi|nagyon köszönöm|köszönöm szépen|köszönöm a segítséget', 'Szívesen!'],
    farewell: ['viszlát|viszontlátásra|jó éjszakát|szép napot', 'Viszontlátásra!'],
    acknowledgement: ['rendben|értem|megértettem|világos|remek', 'Rendben. Kérdezzen bátran.'],
  },
  ro: {
    greeting: ['bună|bună ziua|bună dimineața|bună seara|salutare', 'Bună ziua! Ce ați dori să știți?'],
    thanks: ['mulțumesc|mulțumesc mult|mersi|mulțumesc frumos|mulțumesc pentru ajutor', 'Cu plăcere!'],
    farewell: ['la revedere|pe curând|noapte bună|o zi bună', 'La revedere!'],
    acknowledgement: ['am înțeles|înțeleg|în regulă|bine', 'Bine. Întrebați oricând.'],
  },
  hr: {
    greeting: ['zdravo|dobar dan|dobro jutro|dobra večer|dobro veče|pozdrav', 'Dobar dan! Što želite znati?'],
    thanks: ['hvala|hvala lijepa|hvala lepo|hvala puno|puno hvala|mnogo hvala|hvala vam|hvala na pomoći', 'Nema na čemu!'],
    farewell: ['doviđenja|laku noć|vidimo se|ugodan dan|prijatan dan', 'Doviđenja!'],
    acknowledgement: ['u redu|razumijem|razumem|shvaćam|odlično|dobro', 'U redu. Slobodno pitajte dalje.'],
  },
  sk: {
    greeting: ['dobrý deň|dobré ráno|dobrý večer|ahojte|čaute', 'Dobrý deň! Čo chcete vedieť?'],
    thanks: ['ďakujem|ďakujem pekne|ďakujem veľmi pekne|vďaka|ďakujem za pomoc', 'Nemáte za čo!'],
    farewell: ['dovidenia|do videnia|dobrú noc|pekný deň', 'Dovidenia!'],
    acknowledgement: ['rozumiem|dobre|v poriadku|jasné', 'Dobre. Pýtajte sa ďalej.'],
  },
  bg: {
    greeting: ['здравейте|здравей|здрасти|добър ден|добро утро|добър вечер', 'Здравейте! Какво искате да знаете?'],
    thanks: ['благодаря|много благодаря|мерси|благодаря ви|благодаря за помощта', 'Моля!'],
    farewell: ['довиждане|чао|лека нощ|приятен ден', 'Довиждане!'],
    acknowledgement: ['разбирам|разбрах|добре|чудесно', 'Добре. Питайте още.'],
  },
  ca: {
    greeting: ['bon dia|bona tarda|bon vespre', 'Bon dia! Què voleu saber?'],
    thanks: ['gràcies|moltes gràcies|mercès', 'De res!'],
    farewell: ['adéu|fins aviat|a reveure|bona nit', 'Adéu!'],
    acknowledgement: ["entesos|d'acord|molt bé|perfecte", 'Molt bé. Pregunteu quan vulgueu.'],
  },
  sw: {
    greeting: ['hujambo|habari|habari za asubuhi|habari gani', 'Habari! Ungependa kujua nini?'],
    thanks: ['asante|asante sana|ahsante|asanteni', 'Karibu!'],
    farewell: ['kwaheri|usiku mwema|tutaonana', 'Kwaheri!'],
    acknowledgement: ['sawa|sawa sawa|nimeelewa', 'Sawa. Uliza wakati wowote.'],
  },
  tl: {
    greeting: ['kumusta|kamusta|magandang umaga|magandang hapon|magandang gabi', 'Kumusta! Ano ang gusto mong malaman?'],
    thanks: ['salamat|maraming salamat|salamat po|maraming salamat po', 'Walang anuman!'],
    farewell: ['paalam|ingat', 'Paalam!'],
    acknowledgement: ['sige|sige po|naiintindihan ko', 'Sige. Magtanong lang anumang oras.'],
  },
  fa: {
    greeting: ['سلام|درود|صبح بخیر|روز بخیر|عصر بخیر|salam|salaam', 'سلام! چه چیزی می‌خواهید بدانید؟'],
    thanks: ['ممنون|ممنونم|متشکرم|مرسی|خیلی ممنون|سپاسگزارم', 'خواهش می‌کنم!'],
    farewell: ['خداحافظ|خدا نگهدار|شب بخیر|بدرود', 'خداحافظ!'],
    acknowledgement: ['باشه|فهمیدم|بسیار خوب|متوجه شدم', 'بسیار خوب. هر وقت خواستید بپرسید.'],
  },
  ur: {
    greeting: ['السلام علیکم|آداب', 'السلام علیکم! آپ کیا جاننا چاہتے ہیں؟'],
    thanks: ['شکریہ|بہت شکریہ', 'خوش آمدید!'],
    farewell: ['خدا حافظ|اللہ حافظ', 'خدا حافظ!'],
    acknowledgement: ['ٹھیک ہے|سمجھ گیا|سمجھ گئی', 'ٹھیک ہے۔ اور کچھ پوچھنا ہو تو پوچھیں۔'],
  },
  bn: {
    greeting: ['নমস্কার|হ্যালো|শুভ সকাল|শুভ সন্ধ্যা', 'নমস্কার! আপনি কী জানতে চান?'],
    thanks: ['ধন্যবাদ|অনেক ধন্যবাদ|আপনাকে ধন্যবাদ', 'স্বাগতম!'],
    farewell: ['বিদায়|শুভ রাত্রি|আবার দেখা হবে', 'আবার দেখা হবে!'],
    acknowledgement: ['ঠিক আছে|বুঝেছি|বুঝতে পেরেছি', 'ঠিক আছে। আরও কিছু জানতে চাইলে জিজ্ঞাসা করুন।'],
  },
  th: {
    greeting: ['สวัสดี|สวัสดีครับ|สวัสดีค่ะ|หวัดดี', 'สวัสดี! อยากทราบเรื่องอะไร'],
    thanks: ['ขอบคุณ|ขอบคุณครับ|ขอบคุณค่ะ|ขอบคุณมาก|ขอบคุณมากครับ|ขอบคุณมากค่ะ', 'ยินดี!'],
    farewell: ['ลาก่อน|ราตรีสวัสดิ์|แล้วพบกันใหม่', 'ลาก่อน!'],
    acknowledgement: ['โอเค|เข้าใจแล้ว|ตกลง|เข้าใจแล้วครับ|เข้าใจแล้วค่ะ', 'ได้เลย ถามเพิ่มได้เสมอ'],
  },
};
