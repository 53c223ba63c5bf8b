import * as Flags from '@oclif/core/flags';
import { KbCommand } from '../src/cli/command.ts';
import { settingFlags } from '../src/cli/flags.ts';

export default class Mcp extends KbCommand {
  static override summary = 'Offer the knowledge base to agents over MCP (standard input and output)';
  static override description =
    'An agent starts this command and speaks the Model Context Protocol with it. It offers search, ask, list_sources and get_source, and stored documents as resources. With --allow-write it also offers ingest and delete_source; files are then read from the working directory and server.allowed_roots alone. kb serve offers the same at /mcp.';
  static override examples = ['<%= config.bin %> mcp', '<%= config.bin %> mcp --config /srv/kb/kb.config.yaml --allow-write'];
  static override flags = {
    'allow-write': Flags.boolean({ description: 'Offer the tools that add and remove documents' }),
    ...settingFlags(['collection', 'storage', 'embedding.provider', 'embedding.model', 'retrieval', 'chat.llm']),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    const serving = async ({ engine, signal }: Parameters<Parameters<typeof this.withEngine>[1]>[0]) => {
      const { serveStdio } = await import('../src/mcp/mcp-server.ts');
      await serveStdio(engine, { allowWrite: flags['allow-write'], signal });
    };
    await this.withEngine(flags, serving, { surface: 'server' });
  }
}
