import { z } from 'zod';

export const DoctorRequest = z
  .strictObject({ connections: z.boolean().optional().describe('Also ask the configured providers, which may cost a little') })
  .meta({ id: 'DoctorRequest', description: 'What is to be checked', examples: [{ connections: true }] });
export type DoctorRequest = z.infer<typeof DoctorRequest>;

export const DoctorCheck = z.object({
  name: z.string().describe('What was checked'),
  status: z.enum(['ok', 'warning', 'failed']).describe('What came of it; a warning stops nothing'),
  message: z.string().describe('What was found, and the way out where something is wrong'),
});
export type DoctorCheck = z.infer<typeof DoctorCheck>;

export const DoctorResult = z
  .object({ checks: z.array(DoctorCheck).describe('One after another'), failed: z.int().min(0).describe('Checks that failed') })
  .meta({ id: 'DoctorResult', description: 'What was found' });
export type DoctorResult = z.infer<typeof DoctorResult>;

export const SetupBrowserRequest = z
  .strictObject({})
  .meta({ id: 'SetupBrowserRequest', description: 'Nothing has to be said to set up a browser', examples: [{}] });
export type SetupBrowserRequest = z.infer<typeof SetupBrowserRequest>;

export const SetupBrowserResult = z
  .object({
    browser: z.string().describe('Path of the browser'),
    version: z.string().describe('Its version'),
    installed: z.boolean().describe('Whether it was installed now'),
    message: z.string().describe('What was done, in one sentence'),
  })
  .meta({ id: 'SetupBrowserResult', description: 'The browser that renders web pages' });
export type SetupBrowserResult = z.infer<typeof SetupBrowserResult>;
