/** Control characters but tab and newline, soft hyphens, marks of direction, joiners and fillers without width, annotation anchors, tag letters, variation selectors. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** A terminal's control sequence (CSI). */
// oxlint-disable-next-line no-control-regex
const SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
/** A terminal's control string (OSC, DCS, …) and its terminator, which a stray beginning lacks. */
// oxlint-disable-next-line no-control-regex
const STRING = /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c\n]*(\u0007|\u001b\\|\u009c)?/g;

/** The text without orders to a terminal: none of their letters is left. */
export const withoutSequences = (text: string): string =>
  text.replace(SEQUENCE, '').replace(STRING, (all, end?: string) => (end === undefined ? all : ''));

/** A joiner is part of the spelling between two letters (Persian, Hindi), and of nothing elsewhere. */
const STRAY_JOINER = /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])|[\u200c\u200d]{2,}/gu;

/** The text as a person sees it: without what hides words from a reader, or orders from a person who looks at the source. Newlines are kept. */
export const visible = (text: string): string =>
  withoutSequences(text)
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(HIDDEN, '')
    .replace(STRAY_JOINER, '');
