import { directReply } from '../stages/chat/dialogue/intent.ts';
import type { CommandContext } from './command-context.ts';

/**
 * What else a question is asked with. A greeting opens no collection: where that is missing, it goes to the search as a question does, which says so. A store that does not answer is no
 * reason not to greet.
 */
export async function greetedCollection(
  { engine }: Pick<CommandContext, 'engine'>,
  request: Record<string, unknown>,
  query: string,
): Promise<{ intent_routing?: { enabled: boolean } }> {
  if (!directReply(query)) return {};
  const asked = engine.check('chat', { ...request, query });
  const there = await engine.collections().catch(() => asked);
  return asked.every((name) => there.includes(name)) ? {} : { intent_routing: { enabled: false } };
}
