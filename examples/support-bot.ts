// A support bot: answers the messages that a chat sends it from a knowledge base, and hands over to people what it cannot answer.
//   kb serve &
//   node examples/support-bot.ts
//   curl -s http://127.0.0.1:3000 -d '{"user": "ann", "text": "How long is the warranty on the boilers?"}'
import { createServer } from 'node:http';

const { KB_URL = 'http://127.0.0.1:8000', KB_TOKEN, KB_COLLECTION, PORT = '3000' } = process.env;
const HAND_OVER = 'I do not know. A colleague will look at your question.';

/** What was said with each user; kb itself keeps nothing between two questions. */
const histories = new Map<string, object[]>();

async function reply(user: string, text: string): Promise<{ text: string; sources: string[] }> {
  const response = await fetch(`${KB_URL}/v1/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(KB_TOKEN ? { authorization: `Bearer ${KB_TOKEN}` } : {}) },
    body: JSON.stringify({ query: text, history: histories.get(user) ?? [], query_rewrite: { enabled: true }, collection: KB_COLLECTION }),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error.message);
  const { answer, history, intent, answer_confidence, sources } = result;
  const isAnswered = intent !== 'rag' || answer_confidence.level !== 'none';
  if (!isAnswered) return { text: HAND_OVER, sources: [] };
  histories.set(user, history);
  const cited = sources.filter((source: { cited: boolean }) => source.cited);
  return { text: answer, sources: cited.map(({ citation, metadata }) => `[${citation}] ${metadata.source}`) };
}

createServer(async (request, response) => {
  try {
    let body = '';
    for await (const piece of request) body += piece;
    const { user, text } = JSON.parse(body);
    response.end(JSON.stringify(await reply(user, text)));
  } catch (error) {
    console.error(error);
    response.writeHead(500).end(JSON.stringify({ text: HAND_OVER, sources: [] }));
  }
}).listen(Number(PORT), '127.0.0.1', () => console.log('The bot listens.'));
