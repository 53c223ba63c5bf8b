import type { Message } from '../../ports/models.ts';

/** The body of a request for a chat completion. */
export type ChatBody = Record<string, unknown> & { messages: readonly Message[] };

/** A refused request. */
interface Refusal {
  status: number;
  message: string;
}

/** Parameters that kb sends by itself and that a server may refuse. Without one, the answer is the same or longer. */
const OPTIONAL = ['stream_options', 'max_completion_tokens', 'max_tokens', 'temperature', 'reasoning_effort', 'thinking'];

/** Says that a parameter is not known or not allowed, rather than that its value is wrong. */
const UNSUPPORTED =
  /unsupported|unrecogni[sz]ed|unknown|unexpected|not (?:be )?(?:supported|permitted|allowed|recogni[sz]ed|accepted)|does(?: not|n't) support|extra (?:fields|inputs)|only the default|deprecated/i;

/** Says that messages of the role `system` are not accepted: templates of models without it are strict about roles. */
const NO_SYSTEM_ROLE = /system\W{0,3}(?:role|messages?)\b.{0,40}\b(?:not|unsupported)|only user and assistant roles|roles must alternate/i;

/**
 * What a server accepts for one model. It is learned from its refusals, so that only the first request is sent again: servers that speak OpenAI's
 * protocol differ in the parameters that they know.
 */
export class AcceptedParameters {
  readonly #dropped = new Set<string>();
  readonly #renamed = new Map<string, string>();
  #hasSystemRole = true;

  /** Changes a request to what the server accepts. */
  adapt(body: ChatBody): ChatBody {
    const entries = Object.entries(body).flatMap(([name, value]) =>
      this.#dropped.has(name) ? [] : [[this.#renamed.get(name) ?? name, value] as const],
    );
    const messages = this.#hasSystemRole ? body.messages : mergeSystemMessages(body.messages);
    return { ...Object.fromEntries(entries), messages };
  }

  /** Learns from the refusal of `sent`, an adapted request. Whether there is something to change, so that it is worth sending again. */
  learn({ status, message }: Partial<Refusal>, sent: ChatBody): boolean {
    if ((status !== 400 && status !== 422) || message === undefined) return false;
    if (NO_SYSTEM_ROLE.test(message) && sent.messages.some(({ role }) => role === 'system')) {
      this.#hasSystemRole = false;
      return true;
    }
    if (!UNSUPPORTED.test(message)) return false;
    const name = OPTIONAL.filter((option) => option in sent).find((option) => new RegExp(String.raw`\b${option}\b`).test(message));
    if (name === undefined) return false;
    const successor = { max_tokens: 'max_completion_tokens', max_completion_tokens: 'max_tokens' }[name];
    if (successor && new RegExp(String.raw`\b${successor}\b`).test(message) && !this.#renamed.has(name)) this.#renamed.set(name, successor);
    else this.#dropped.add([...this.#renamed].find(([, target]) => target === name)?.[0] ?? name);
    return true;
  }
}

/** Sends a request, and again without what the server refuses, until it accepts it or refuses something else. Throws what `send` throws then. */
export async function sendAccepted(
  body: ChatBody,
  accepted: AcceptedParameters,
  send: (body: ChatBody) => Promise<Response>,
): Promise<Response> {
  for (;;) {
    const adapted = accepted.adapt(body);
    try {
      return await send(adapted);
    } catch (error) {
      if (!accepted.learn(error as Refusal, adapted)) throw error;
    }
  }
}

/** Puts the system messages before the text of the first user message. */
function mergeSystemMessages(messages: readonly Message[]): Message[] {
  const instructions = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const turns = messages.filter(({ role }) => role !== 'system');
  const [first, ...later] = turns;
  return first ? [{ role: first.role, content: [...instructions, first.content].join('\n\n') }, ...later] : [];
}
