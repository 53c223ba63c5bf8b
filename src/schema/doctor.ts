import { z } from 'zod';

export const DoctorRequest = z.strictObject({
  connections: z.boolean().optional().describe('Also ask the configured providers, which may cost a little'),
});
export type DoctorRequest = z.infer<typeof DoctorRequest>;

export const DoctorCheck = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warning', 'failed']),
  message: z.string().describe('What was found, and the way out where something is wrong'),
});
export type DoctorCheck = z.infer<typeof DoctorCheck>;

export const DoctorResult = z.object({ checks: z.array(DoctorCheck), failed: z.int() });
export type DoctorResult = z.infer<typeof DoctorResult>;
