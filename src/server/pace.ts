/** Milliseconds between two looks at how much has arrived, and bytes that must have arrived in them: less is nobody who wants to be read. */
export const LOOK_EVERY = 10_000;
export const LEAST = 10_240;

/** A watch over the pace at which a request arrives. */
export interface Pace {
  /** Rejects with a 408 when less than a kilobyte a second arrives. */
  readonly tooSlow: Promise<never>;
  release(): void;
}

/** Watches the bytes that a connection has brought. One client that sends a byte now and then would hold a place among few for as long as it likes. */
export function keepPace(connection: { readonly bytesRead: number }): Pace {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // nobody may be waiting for it
  let before = connection.bytesRead;
  let looked = Date.now();
  const timer = setInterval(() => {
    const hasStoodStill = Date.now() - looked > 2 * LOOK_EVERY; // this process: what arrived meanwhile is not read yet
    if (!hasStoodStill && connection.bytesRead - before < LEAST) reject(slow());
    before = connection.bytesRead;
    looked = Date.now();
  }, LOOK_EVERY).unref();
  return { tooSlow: promise, release: () => clearInterval(timer) };
}

const slow = (): Error =>
  Object.assign(new Error('The request arrives too slowly: less than a kilobyte came in a second. Send it again on a better connection.'), {
    statusCode: 408,
  });
