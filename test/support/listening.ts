import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A server that listens. */
interface Listening {
  url: string;
  port: number;
  /** Ends it; of HTTP, with its connections. */
  close(): Promise<void>;
}

/** Lets a server listen on a free port of this machine. */
export async function listening(server: Server, host = '127.0.0.1'): Promise<Listening> {
  await new Promise<void>((done) => server.listen(0, host, done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    if (server instanceof HttpServer) server.closeAllConnections();
    return new Promise<void>((done) => server.close(() => done()));
  };
  return { url: `http://${host}:${port}`, port, close };
}
