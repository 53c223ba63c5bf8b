import { z } from 'zod';

/** Input of `doctor`. */
export const DoctorRequest = z
  .strictObject({
    connections: z.boolean().optional().describe('Also call the configured providers, which may cost a little'),
    repair: z.boolean().optional().describe('Mend what is broken in the store, where that removes nothing'),
    yes: z.boolean().optional().describe('With repair: also mend what is mended by removing something'),
  })
  .meta({ id: 'DoctorRequest', description: 'Checks to run', examples: [{ connections: true }] });
export type DoctorRequest = z.infer<typeof DoctorRequest>;

/** Finding of one check. */
export const DoctorCheck = z.object({
  name: z.string().describe('Subject of the check'),
  status: z.enum(['ok', 'warning', 'failed']).describe('Result; a warning does not prevent anything from working'),
  message: z.string().describe('Finding, and how to fix the problem if there is one'),
});
export type DoctorCheck = z.infer<typeof DoctorCheck>;

/** Result of `doctor`. */
export const DoctorResult = z
  .object({ checks: z.array(DoctorCheck).describe('Checks, in the order they ran'), failed: z.int().min(0).describe('Checks that failed') })
  .meta({ id: 'DoctorResult', description: 'Findings of kb doctor' });
export type DoctorResult = z.infer<typeof DoctorResult>;

/** Input of `setup_browser`: no parameters. */
export const SetupBrowserRequest = z.strictObject({}).meta({ id: 'SetupBrowserRequest', description: 'No parameters', examples: [{}] });
export type SetupBrowserRequest = z.infer<typeof SetupBrowserRequest>;

/** Result of `setup_browser`. */
export const SetupBrowserResult = z
  .object({
    browser: z.string().describe('Path of the browser'),
    version: z.string().describe('Its version'),
    installed: z.boolean().describe('Whether it was installed now'),
    message: z.string().describe('What was done, in one sentence'),
  })
  .meta({ id: 'SetupBrowserResult', description: 'The browser that renders web pages' });
export type SetupBrowserResult = z.infer<typeof SetupBrowserResult>;

/** Input of `setup_ocr`. */
export const SetupOcrRequest = z
  .strictObject({
    languages: z
      .array(z.string().regex(/^[a-z_]{2,20}$/i, 'a code of Tesseract, such as eng or deu'))
      .min(1)
      .max(20)
      .describe('Languages to install, as Tesseract names them'),
  })
  .meta({ id: 'SetupOcrRequest', description: 'Languages for OCR', examples: [{ languages: ['eng', 'deu'] }] });
export type SetupOcrRequest = z.infer<typeof SetupOcrRequest>;

/** Result of `setup_ocr`. */
export const SetupOcrResult = z
  .object({
    folder: z.string().describe('Where OCR is installed'),
    languages: z.array(z.string()).describe('Languages that can be read now'),
    installed: z.array(z.string()).describe('Languages that were installed now'),
    message: z.string().describe('What was done, in one sentence'),
  })
  .meta({ id: 'SetupOcrResult', description: 'What OCR reads scans with' });
export type SetupOcrResult = z.infer<typeof SetupOcrResult>;
