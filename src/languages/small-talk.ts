/** What a message may be that is no question. */
export type DirectIntent = 'greeting' | 'thanks' | 'farewell' | 'acknowledgement';

/** For each intent the phrases of a language, divided by `|`, and what is said to them. Capitals, accents and punctuation do not matter. */
export type SmallTalk = Record<DirectIntent, readonly [phrases: string, reply: string]>;

/** Words that may stand beside a phrase of small talk and change nothing. */
export const FILLERS =
  'there|indeed|all|everyone|everybody|team|folks|guys|again|so much|very much|a lot|a bunch|a million|for now|then|sir|madam|my friend|dear|and|oh|ah|well|zusammen|liebes team|und|nochmal|alle|tous|toutes|et|todos|todas|y|tutti|e|wszystkim|всем|и|大家|さん|여러분';
