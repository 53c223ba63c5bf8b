import { type AccessRights, mayDo } from '../core/access-rights.ts';
import { bodyOf, requestWording } from '../core/advice/request-wording.ts';
import type { NamedRequest, Wording } from '../core/advice/wording.ts';
import { operations, type OperationName } from '../schema/operations.ts';
import { type Route, routes } from './routes.ts';

/** The words of HTTP for who sends a request: the fields of its body, and the paths that the caller may use. */
export const httpWording = (operation: OperationName, { access }: { access?: AccessRights | undefined }): Wording =>
  requestWording(operations[operation].input, (name, request) => {
    const route = routes.find((one) => one.operation === name);
    return route && mayDo(access, operations[name].scope) ? pathOf(route, request) : undefined;
  });

function pathOf({ method, path, operation }: Route, request: NamedRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (mark, name: string) => String(request[name] ?? mark));
  const rest = Object.entries(request).filter(([name]) => !path.includes(`{${name}}`));
  const body = method === 'POST' ? bodyOf(operations[operation].input, Object.fromEntries(rest)) : '';
  return [method, filled, body].filter(Boolean).join(' ');
}
