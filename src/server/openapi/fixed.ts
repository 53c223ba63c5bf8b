import { z } from 'zod';
import { Event } from '../../schema/events.ts';
import { Health, Job, JobList } from '../../schema/server.ts';
import type { Components } from './components.ts';
import type { OperationObject, Parameter } from './operations.ts';
import { ANYWHERE, eventStream, json, refusals, type Responses } from './responses.ts';

type Paths = Record<string, Record<string, OperationObject>>;

/** The paths that run no operation of the engine: how the server is, what it can do, and the jobs that it works on. */
export const fixedPaths = (components: Components): Paths => ({
  '/v1/health': { get: health(components) },
  '/v1/openapi.json': { get: ownDocument() },
  ...jobPaths(components),
});

function jobPaths(components: Components): Paths {
  const { description, ...schema } = components.of(Job.shape.id, 'input');
  const id: Parameter = { name: 'id', in: 'path', required: true, ...(description ? { description } : {}), schema };
  const list = { description: 'The jobs, without their results', content: json(components.of(JobList, 'output'), components) };
  const jobAs = (meaning: string) => ({ description: meaning, content: json(components.of(Job, 'output'), components) });
  const events = eventStream(
    components.of(Event, 'output'),
    'its `data` is the result of the job; where that ended early, what had come of it, and in `errors` why.',
  );
  const one = (operationId: string, summary: string, done: Responses[string]): OperationObject => ({
    operationId,
    tags: ['Jobs'],
    summary,
    parameters: [id],
    responses: { 200: done, ...refusals([400, 404, ...ANYWHERE]) },
  });
  return {
    '/v1/jobs': {
      get: {
        operationId: 'list_jobs',
        tags: ['Jobs'],
        summary: 'List the jobs, the latest first',
        responses: { 200: list, ...refusals(ANYWHERE) },
      },
    },
    '/v1/jobs/{id}': {
      get: one('show_job', 'Tell how far a job is, and what came of it', jobAs('The job')),
      delete: one('cancel_job', 'Stop a job', jobAs('The job as it is now')),
    },
    '/v1/jobs/{id}/events': { get: one('show_job_stream', 'Follow a job', events) },
  };
}

function health(components: Components): OperationObject {
  const content = json(components.of(Health, 'output'), components);
  const deep: Parameter = { name: 'deep', in: 'query', description: 'Also ask the store', schema: components.of(z.boolean(), 'input') };
  return {
    operationId: 'health',
    tags: ['Service'],
    summary: 'Tell whether the server answers',
    description: 'Needs no token.',
    parameters: [deep],
    security: [],
    responses: {
      200: { description: 'It answers', content },
      503: { description: 'Its store does not', content },
      ...refusals([400, 403, 429, 500]),
    },
  };
}

function ownDocument(): OperationObject {
  return {
    operationId: 'openapi',
    tags: ['Service'],
    summary: 'This document',
    responses: {
      200: { description: 'OpenAPI 3.1', content: { 'application/json': { schema: { type: 'object' } } } },
      ...refusals(ANYWHERE),
    },
  };
}
