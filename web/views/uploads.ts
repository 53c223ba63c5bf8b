import { errorText, uploadFile } from '../api.ts';
import { currentCollection, knownCollections, refreshCollections } from '../collections.ts';
import { button, element } from '../element.ts';

/** Extensions that the file picker shows by default. */
const SUGGESTED_TYPES = '.pdf,.docx,.pptx,.xlsx,.md,.markdown,.html,.htm,.txt,.csv';

/** The list of uploads, which run one after another, with their outcomes. */
export class Uploads {
  readonly root = element('ul', { class: 'uploads', 'aria-label': 'Added files', hidden: true });
  readonly picker = element('input', {
    type: 'file',
    multiple: true,
    accept: SUGGESTED_TYPES,
    class: 'unseen',
    tabindex: '-1',
    'aria-label': 'Files to store',
  });
  readonly #announce: (text: string) => void;
  #queue: Promise<void> = Promise.resolve();

  constructor(announce: (text: string) => void) {
    this.#announce = announce;
    this.picker.addEventListener('change', () => {
      this.add([...(this.picker.files ?? [])]);
      this.picker.value = ''; // the same file can be chosen again
    });
  }

  add(files: readonly File[]): void {
    for (const file of files) {
      const row = new UploadRow(file);
      this.root.hidden = false;
      this.root.append(row.root);
      this.#queue = this.#queue.then(() => this.#store(row));
    }
  }

  async #store(row: UploadRow): Promise<void> {
    if (row.stopping.signal.aborted) return;
    row.begin();
    const collection = currentCollection()?.name;
    const place = knownCollections().length > 1 ? ` in ${collection}` : '';
    try {
      const report = await uploadFile({
        file: row.file,
        collection,
        signal: row.stopping.signal,
        onProgress: (share) => row.progress(share),
      });
      const [failed] = report.errors;
      const passages = report.store_result.stored;
      if (failed) row.end('failed', failed.error);
      else if (report.unchanged > 0) row.end('done', 'It was stored already, as it is.');
      else if (passages === 0) row.end('failed', 'There is no text in it that could be stored.');
      else row.end('done', `Stored${place}: ${passages === 1 ? 'one passage' : `${passages} passages`}.`);
      await refreshCollections();
    } catch (error) {
      const { aborted } = row.stopping.signal;
      row.end('failed', aborted ? 'Stopped.' : errorText(error));
    }
    this.#announce(`${row.file.name}: ${row.statusText}`);
  }
}

class UploadRow {
  readonly file: File;
  readonly stopping = new AbortController();
  readonly root: HTMLElement;
  readonly #status = element('span', { class: 'said' }, 'Waiting…');
  readonly #bar: HTMLProgressElement;
  readonly #stop: HTMLButtonElement;

  constructor(file: File) {
    this.file = file;
    this.#bar = element('progress', { max: 1, value: 0, 'aria-label': `Sending ${file.name}` });
    this.#stop = button('Stop', () => (this.stopping.abort(), this.end('failed', 'Stopped.')), {
      class: 'quiet',
      'aria-label': `Stop ${file.name}`,
    });
    this.root = element('li', {}, element('span', { class: 'name' }, file.name), this.#status, this.#stop, this.#bar);
  }

  get statusText(): string {
    return this.#status.textContent;
  }

  begin(): void {
    this.#status.textContent = 'Sending…';
  }

  progress(share: number): void {
    if (share < 1) this.#bar.value = share;
    else this.#bar.removeAttribute('value'); // indeterminate: the remaining time is unknown
    this.#status.textContent = share < 1 ? `Sending… ${Math.round(share * 100)} %` : 'Reading and storing…';
  }

  end(state: 'done' | 'failed', text: string): void {
    this.root.className = state;
    this.#status.textContent = text;
    this.#bar.remove();
    this.#stop.replaceWith(button('Dismiss', () => this.#dismiss(), { class: 'quiet', 'aria-label': `Dismiss ${this.file.name}` }));
  }

  #dismiss(): void {
    const list = this.root.parentElement;
    this.root.remove();
    if (list && list.childElementCount === 0) list.hidden = true;
  }
}
