import { inspect } from 'node:util';
import { settle } from '../core/run.ts';
import type { Engine } from '../ports/engines.ts';
import { StdioServerTransport } from './mcp-library.ts';
import { createMcpServer, type McpParts } from './mcp-server.ts';

/** The parts of an MCP server over an engine. */
const partsOf = (engine: Engine, allowWrite: boolean): McpParts => ({
  run: (name, request, { signal, onEvent }) => settle(engine.run(name, request, { signal }), onEvent),
  onProblem: (error) => void process.stderr.write(`${inspect(error)}\n`),
  collections: () => engine.collections(),
  collection: engine.config.collection,
  allowWrite,
});

/** Speaks MCP over standard input and output until the input ends or the signal is aborted; what runs then is stopped. */
export async function serveStdio(engine: Engine, { allowWrite, signal }: { allowWrite: boolean; signal: AbortSignal }): Promise<void> {
  const server = createMcpServer(partsOf(engine, allowWrite));
  const over = new Promise<void>((end) => {
    process.stdin.once('end', end).once('close', end);
    signal.addEventListener('abort', () => end(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await over;
  await server.close();
}
