import { z } from 'zod';

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
