// `node scripts/picture.mjs`: draws docs/terminal.svg, the picture of the README, from what the program prints now. Needs a terminal to draw from (`script` of util-linux).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { ensureBuilt, root } from './prepare.mjs';

const COMMANDS = [
  'kb ingest --docs manuals',
  'kb retrieve "little or no steam from the wand" --top-k 2',
  'kb chat "How long is the warranty on the boilers?"',
];
const COLUMNS = 104;
const CELL = { width: 8.4, height: 19 };
const MARGIN = { side: 16, top: 48, bottom: 25 };
const FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace';
const PLAIN = '#d8dee9';
/** Colours by the number of their order (SGR). */
const COLORS = { 31: '#e06c75', 32: '#98c379', 33: '#e5c07b', 34: '#61afef', 35: '#c678dd', 36: '#56b6c2', 90: '#7f848e' };

ensureBuilt();
const store = mkdtempSync(join(tmpdir(), 'kb-picture-'));
try {
  const rows = COMMANDS.flatMap((command) => [rowOf(`$ ${command}`), ...printed(command)]);
  writeFileSync(join(root, 'docs', 'terminal.svg'), picture([...rows, rowOf('$')]));
} finally {
  rmSync(store, { recursive: true });
}

/** The rows that a command leaves on a terminal. */
function printed(command) {
  const line = command.replace(/^kb/, `'${process.execPath}' '${join(root, 'bin', 'run.js')}'`);
  const shell = `stty cols ${COLUMNS} rows 50; ${line}`;
  const env = { PATH: process.env.PATH, HOME: store, TERM: 'xterm', LANG: 'C.UTF-8', SHELL: '/bin/sh', KB_STORAGE_URL: store };
  const options = { cwd: join(root, 'examples'), env, extendEnv: false, stripFinalNewline: false };
  return screenAfter(execaSync('script', ['-qefc', shell, '/dev/null'], options).stdout);
}

/** A terminal as far as kb uses one: text, colours, and what goes back to a row to write it anew. */
function screenAfter(output) {
  const rows = [[]];
  let [row, column, style] = [0, 0, {}];
  const moves = {
    A: (count) => (row = Math.max(0, row - (count || 1))),
    G: (count) => (column = (count || 1) - 1),
    K: (part) => (rows[row] = part === 2 ? [] : rows[row].slice(0, column)),
    J: () => rows.splice(row, Infinity, rows[row].slice(0, column)),
    m: (order) => (style = styled(style, order)),
  };
  // oxlint-disable-next-line no-control-regex -- it is what a terminal obeys
  for (const [piece, order, move] of output.matchAll(/\u001b\[([\d;?]*)([A-Za-z])|[^]/gu)) {
    if (move) moves[move]?.(Number(order));
    else if (piece === '\r') column = 0;
    else if (piece === '\n') rows[++row] ??= [];
    else rows[row][column++] = { text: piece, ...style };
  }
  return rows.at(-1).length === 0 ? rows.slice(0, -1) : rows;
}

function styled(style, order) {
  if (order === 0) return {};
  if (order === 1 || order === 2) return { ...style, [order === 1 ? 'isBold' : 'isDim']: true };
  if (order === 22) return { ...style, isBold: false, isDim: false };
  return { ...style, color: COLORS[order] };
}

function rowOf(text) {
  return Array.from(text, (letter) => ({ text: letter }));
}

function picture(rows) {
  const width = Math.ceil(2 * MARGIN.side + COLUMNS * CELL.width);
  const height = MARGIN.top + (rows.length - 1) * CELL.height + MARGIN.bottom;
  const dots = ['#e06c75', '#e5c07b', '#98c379'].map((fill, i) => `<circle cx="${20 + 20 * i}" cy="18" r="6" fill="${fill}"/>`).join('');
  const texts = rows.flatMap((row, i) => (row.length > 0 ? [`<text y="${MARGIN.top + i * CELL.height}">${spans(row)}</text>`] : []));
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FONT}" font-size="14">`;
  return [head, '<rect width="100%" height="100%" rx="8" fill="#1e222a"/>', dots, ...texts, '</svg>', ''].join('\n');
}

/** Letters of one look in one piece, each piece at its place. */
function spans(row) {
  const pieces = [];
  for (const [column, { text, ...look }] of Array.from(row, (cell) => cell ?? { text: ' ' }).entries()) {
    const last = pieces.at(-1);
    if (last && JSON.stringify(last.look) === JSON.stringify(look)) last.text += text;
    else pieces.push({ column, look, text });
  }
  return pieces.map(span).join('');
}

function span({ column, look: { color = PLAIN, isBold, isDim }, text }) {
  const marks = `${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity=".6"' : ''}`;
  const x = (MARGIN.side + column * CELL.width).toFixed(1);
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<tspan x="${x}" fill="${color}"${marks} xml:space="preserve">${escaped}</tspan>`;
}
