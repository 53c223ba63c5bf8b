/** Milliseconds in which a second Ctrl-C is taken for the first: a terminal sends it to a launcher and to what that runs, and the launcher passes it on. */
const ONE_PRESS = 500;

/** Tells at each Ctrl-C whether one came before it, so that what has not heard that one is to be left. */
export function doubleInterrupt(): () => boolean {
  let first: number | undefined;
  return () => {
    const now = performance.now();
    first ??= now;
    return now - first > ONE_PRESS;
  };
}
