import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server, which a test can block: for what no server does when it is told to. */
export interface Way {
  url: string;
  /** Takes what is sent and hands nothing on, as a process that was stopped; `thaw` hands all of it on, though who sent it may have gone. */
  freeze(): void;
  thaw(): void;
  /** Cuts all connections and takes no new ones, as a server that starts again, for so many milliseconds. */
  restart(milliseconds: number): void;
  /** Calls this once when a request has come that holds the text. */
  once(text: string, act: () => void): void;
}

/** Opens a way to the server at an address, closed after the test. */
export async function openWay(target: string): Promise<Way> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let [isFrozen, isDown] = [false, false];
  let watched: { text: string; act: () => void } | undefined;
  const pass = (act: () => void) => (isFrozen ? waiting.push(act) : act());
  const join = (from: Socket, to: Socket, look?: (data: Buffer) => void) => {
    sockets.add(from);
    from.on('data', (data) => {
      look?.(data);
      pass(() => to.writable && to.write(data));
    });
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      pass(() => to.end());
    });
  };
  const server = createServer((client) => {
    if (isDown) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    join(client, upstream, (data) => {
      if (!watched || !data.includes(watched.text)) return;
      const { act } = watched;
      watched = undefined;
      act();
    });
    join(upstream, client);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const cut = () => [...sockets].forEach((socket) => socket.destroy());
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze: () => void (isFrozen = true),
    thaw: () => {
      isFrozen = false;
      for (const act of waiting.splice(0)) act();
    },
    restart: (milliseconds) => {
      isDown = true;
      cut();
      setTimeout(() => (isDown = false), milliseconds).unref();
    },
    once: (text, act) => void (watched = { text, act }),
  };
}
