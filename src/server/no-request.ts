import type { Socket } from 'node:net';
import { refusal, type Failure } from './failures.ts';

/** What a connection is told, and that it is closed, that sent no request that could be read, or not all of it in time. */
export function answerNoRequest({ code }: { code?: string }, socket: Socket): void {
  const [line, { body }] = ANSWERS[code ?? ''] ?? NO_HTTP;
  if (socket.writable)
    socket.write(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}`);
  socket.destroySoon(); // Node has done with it: nobody else would close it
}

const NO_HTTP: [string, Failure] = ['400 Bad Request', refusal(400, 'This is no HTTP request that kb understands.')];

const ANSWERS: Record<string, [string, Failure]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', refusal(408, 'The request did not arrive in time.')],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', refusal(431, 'The headers of the request are too large.')],
};
