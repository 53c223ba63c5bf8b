import { shown } from '../base/secrets.ts';

/** What a provider said when it refused. */
export interface Refusal {
  status: number;
  headers: Headers;
  code?: string;
  message: string;
}

/**
 * Reads a refusal. Providers write it as `{ error: { message, code } }` (OpenAI), in a list of one (Gemini), as `{ error }` (text-embeddings-inference),
 * `{ message }` (Cohere, Mistral), `{ detail }` (Voyage, Jina), or `{ detail: [{ loc, msg }] }` (what FastAPI finds wrong with a field); a proxy in
 * between as text.
 */
export function refusalIn({ status, headers, statusText }: Response, text: string): Refusal {
  const moved = headers.get('location');
  if (status < 400 && moved) return { status, headers, message: `it is at ${shown(moved)} now` };
  try {
    const body: unknown = JSON.parse(text);
    const code = codeIn(body);
    return { status, headers, message: saidIn(body) || statusText || 'no reason given', ...(code && { code }) };
  } catch {
    return { status, headers, message: text.replace(/<[^<>]*>/g, ' ').trim() || statusText || 'no reason given' };
  }
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function saidIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(saidIn).filter(Boolean).join('; ');
  const { error, message, detail, msg, loc } = fieldsOf(value);
  const said = saidIn(error ?? message ?? detail ?? msg ?? '');
  return Array.isArray(loc) ? `${loc.join('.')}: ${said}` : said;
}

function codeIn(value: unknown): string | undefined {
  const [first] = Array.isArray(value) ? (value as unknown[]) : [value];
  const { error, code } = fieldsOf(first);
  const found = fieldsOf(error).code ?? code;
  return typeof found === 'string' ? found : undefined;
}
