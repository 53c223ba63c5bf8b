/** Maximum characters of a line that may be one of the prompt: a longer one is shown. */
const MAX_HELD = 400;

/** The beginning of the line before a source. */
const SOURCE_LABEL = /^source \[?\d+\]?(?: \([^\n]{0,300}\))?:\s*/i;
const SOURCE_BEGINNING = /^s(?:o(?:u(?:r(?:c(?:e(?: \[?\d*\]? ?(?:\([^\n]{0,300})?)?)?)?)?)?)?$/i;

/**
 * Removes what a model repeats of the prompt while its answer is generated: lines with the marker of the fences anywhere, and at the beginning the question
 * and the labels `Question:`, `Answer:` and `Source 1:`. The output does not depend on how the answer is split into pieces.
 */
export class EchoFilter {
  #rest = '';
  #isStart = true;
  #isLineStart = true;
  readonly #marker: string;
  /** Labels at the beginning, in lower case. */
  readonly #labels: readonly string[];

  /** `questions`: the question as the prompt has it, in all of its forms. */
  constructor({ marker, questions }: { marker: string; questions: readonly string[] }) {
    this.#marker = marker;
    const asked = questions.map((question) => question.trim().toLowerCase());
    this.#labels = [
      ...asked.flatMap((question) => [`question: ${question}`, `that is: ${question}`, `${question}\n`]),
      '**answer:**',
      'answer:',
    ];
  }

  /** Returns what may be shown now. */
  push(piece: string): string {
    this.#rest += piece;
    return this.#read(false);
  }

  /** Returns what was held back. */
  end(): string {
    return this.#read(true);
  }

  #read(isEnd: boolean): string {
    let out = '';
    for (;;) {
      if (this.#isStart) this.#rest = this.#rest.trimStart();
      if (this.#rest === '' || this.#mustWait(isEnd)) return out;
      if (this.#isStart && this.#dropLabel(isEnd)) continue;
      const end = this.#rest.indexOf('\n') + 1 || this.#rest.length;
      const line = this.#rest.slice(0, end);
      const isFence = this.#isLineStart && line.includes(this.#marker);
      if (!isFence) out += line;
      this.#rest = this.#rest.slice(end);
      this.#isLineStart = line.endsWith('\n');
      this.#isStart &&= isFence;
    }
  }

  /** Whether the text may still become a line of the prompt. */
  #mustWait(isEnd: boolean): boolean {
    if (isEnd || this.#rest.length > MAX_HELD) return false;
    const text = this.#rest.toLowerCase();
    if (this.#isLineStart && !this.#rest.includes('\n') && (text.startsWith('---') || '---'.startsWith(text))) return true;
    return this.#isStart && (SOURCE_BEGINNING.test(text) || this.#labels.some((label) => label.startsWith(text)));
  }

  /** Removes a label at the beginning. */
  #dropLabel(isEnd: boolean): boolean {
    const text = this.#rest;
    const compared = `${text.toLowerCase()}${isEnd ? '\n' : ''}`;
    const label = this.#labels.find((known) => compared.startsWith(known)) ?? SOURCE_LABEL.exec(text)?.[0];
    if (label === undefined) return false;
    this.#rest = text.slice(label.length);
    return true;
  }
}
