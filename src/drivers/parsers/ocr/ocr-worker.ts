import { serveParent } from '../process/worker-process.ts';
import type { OcrAnswer, OcrRequest } from './ocr-messages.ts';
import type { PagePictures } from './page-pictures.ts';
import type { Recognizer } from './recognize.ts';

// The process that text is recognized in: one document is open, whose pages are asked for.

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
