import { Keyboard } from '../../src/cli/repl/keyboard.ts';
import { createScreen } from '../../src/cli/screen.ts';

// Work in a conversation that does not hear that it is to stop.
const screen = createScreen({ quiet: false, json: false });
const keyboard = new Keyboard({ screen, history: [], complete: async (line) => ({ candidates: [], replaced: line }) });
screen.print('working');
await keyboard.during(
  () => screen.print('asked to stop'),
  () => new Promise(() => {}),
);
