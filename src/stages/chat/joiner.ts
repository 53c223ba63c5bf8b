/** Puts the shown parts of an answer together: a blank waits until it is known what follows, and goes with a part that is taken out. */
export class Joiner {
  /** Whether anything was shown. */
  started = false;
  #blanks = '';
  /** Blanks in front of what was taken out. */
  #before = '';

  /** The part as it is shown now; blanks at its end, and all before the first part, are not. */
  show(text: string): string {
    return text.replace(/\s+|\S+/g, (run) => (run.trim() === '' ? this.#wait(run) : this.#put(run)));
  }

  /** Takes a part out, with the blanks before it. */
  takeOut(): string {
    this.#before = this.#before.includes('\n') ? this.#before : this.#blanks || this.#before;
    this.#blanks = '';
    return '';
  }

  #wait(blanks: string): string {
    this.#blanks += blanks;
    return '';
  }

  #put(text: string): string {
    const closing = /^[.,;:!?)\]]/.test(text) && this.#blanks === '';
    const gap = this.#before.includes('\n') && !this.#blanks.includes('\n') ? this.#before : this.#blanks || (closing ? '' : this.#before);
    const shown = this.started ? gap + text : text;
    [this.#blanks, this.#before, this.started] = ['', '', true];
    return shown;
  }
}
