import { serveParent } from '../process/worker-process.ts';
import type { PagePictures, PictureSource } from './page-pictures.ts';
import type { RecognizedPage, Recognizer } from './recognize.ts';

// A process that recognizes pages of the open document on request.

/** Request to an OCR process: open a document in place of the one before, or recognize a page of the open one. */
export type OcrRequest = { open: PictureSource & { languages: readonly string[] } } | { page: number };

/** Response of an OCR process; `failed` holds the error message. */
export type OcrAnswer = { opened: true } | { page: RecognizedPage } | { failed: string };

await serveParent<OcrRequest, OcrAnswer>(async () => {
  const [{ openPictures }, { startRecognizer }] = await Promise.all([import('./page-pictures.ts'), import('./recognize.ts')]);
  let pictures: PagePictures | undefined;
  let started: { key: string; recognize: Recognizer } | undefined;
  return async (request) => {
    try {
      if ('page' in request) return { page: await started!.recognize(await pictures!.draw(request.page)) };
      const { folder, languages } = request.open;
      const key = JSON.stringify([folder, languages]);
      await pictures?.close();
      pictures = undefined;
      if (started?.key !== key) started = { key, recognize: await startRecognizer(folder, languages) };
      pictures = await openPictures(request.open);
      return { opened: true };
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
  };
});
