import type { Interface } from 'node:readline';

interface Suspension {
  /** Gives the terminal back to the shell as it was. */
  leave(): void;
  /** Takes it again, and shows what is typed. */
  goOn(): void;
}

/** Lets Ctrl-Z stop the program and `fg` go on with it, for which readline alone would wait in vain. Returns what ends that. */
export function suspendable(reader: Interface, { leave, goOn }: Suspension): () => void {
  let isOver = false;
  let isAway = false;
  const resume = () => {
    isAway = false;
    if (isOver) return;
    process.stdin.setRawMode(true);
    goOn();
  };
  const stay = () => void (isAway && resume()); // where there is no shell to go back to, nothing stops
  process.on('SIGCONT', resume);
  reader.on('SIGTSTP', () => {
    isAway = true;
    leave();
    process.stdin.setRawMode(false);
    process.kill(0, 'SIGTSTP'); // what started kb, such as npx, is stopped too, as when the terminal does it
    setImmediate(() => setImmediate(stay)); // a SIGCONT is heard before the second
  });
  return () => {
    isOver = true;
    process.off('SIGCONT', resume);
  };
}
