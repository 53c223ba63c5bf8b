import { openJsonServer, type JsonAnswer, type JsonRequest, type JsonServer } from './json-server.ts';

type Ranked = { index: number; score: number };

/** How a service that reranks is asked and answers, by its documentation. */
interface Wire {
  /** The name of the passages, and the fields that it knows beside them; undefined: it reads over what it does not know. */
  texts: 'documents' | 'texts';
  fields?: string[];
  answer(ranked: Ranked[], texts: string[]): unknown;
  refusal(message: string, status: number): unknown;
  /** What it says, and with which status, where the passages are missing, and where they are too many. */
  missing: { status: number; said: string };
  tooMany: { status: number; said: string };
}

const scored = (ranked: Ranked[]) => ranked.map(({ index, score }) => ({ index, relevance_score: score }));

export const rerankWires: Record<string, Wire> = {
  cohere: {
    texts: 'documents',
    fields: ['model', 'query', 'top_n', 'max_tokens_per_doc', 'priority'],
    answer: (ranked) => ({
      id: 'r-1',
      results: scored(ranked),
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    }),
    refusal: (message) => ({ id: 'r-1', message }),
    missing: { status: 400, said: 'invalid request: list of documents must not be empty' },
    tooMany: { status: 400, said: 'invalid request: documents must be at most 32' },
  },
  jina: {
    texts: 'documents',
    fields: ['model', 'query', 'top_n', 'return_documents', 'truncation'],
    answer: (ranked) => ({ model: 'm', object: 'list', usage: { total_tokens: 1 }, results: scored(ranked) }),
    refusal: (detail) => ({ detail }),
    missing: { status: 422, said: 'documents: Field required' },
    tooMany: { status: 400, said: 'The number of documents is too large.' },
  },
  voyage: {
    texts: 'documents',
    fields: ['model', 'query', 'top_k', 'return_documents', 'truncation'],
    answer: (ranked) => ({ object: 'list', data: scored(ranked), model: 'm', usage: { total_tokens: 1 } }),
    refusal: (detail) => ({ detail }),
    missing: { status: 400, said: 'Argument documents is missing.' },
    tooMany: { status: 400, said: 'The max allowed number of tokens in your request is 600000.' },
  },
  vllm: {
    texts: 'documents',
    fields: ['model', 'query', 'top_n', 'truncate_prompt_tokens'],
    answer: (ranked, texts) => ({
      id: 'score-1',
      model: 'm',
      usage: { total_tokens: 1 },
      results: scored(ranked).map((item) => ({ ...item, document: { text: texts[item.index] } })),
    }),
    refusal: (message, code) => ({ error: { message, type: 'BadRequestError', param: null, code } }),
    missing: { status: 400, said: "[{'type': 'missing', 'loc': ('body', 'documents'), 'msg': 'Field required'}]" },
    tooMany: { status: 400, said: "This model's maximum context length is 512 tokens." },
  },
  tei: {
    texts: 'texts',
    answer: (ranked) => ranked,
    refusal: (error) => ({ error, error_type: 'Validation' }),
    missing: {
      status: 422,
      said: 'Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 87',
    },
    tooMany: { status: 422, said: 'batch size 40 > maximum allowed batch size 32' },
  },
};

export interface RerankBehaviour {
  /** The score of a passage; nothing: it is left out of the answer. */
  score?(text: string): number | undefined;
  /** Passages in one request, and characters of one, beyond which it is refused in the words of the service. */
  most?: number;
  longest?: number;
  /** Instead of everything else, where it gives something. */
  instead?(
    request: JsonRequest,
    count: number,
  ): { status: number; said: string; headers?: Record<string, string> } | JsonAnswer | undefined;
}

/** A server that speaks as the service of that name does: best passage first, without those after `top_n`. */
export async function openRerankServer(name: string, behaviour: RerankBehaviour = {}): Promise<JsonServer> {
  const wire = rerankWires[name]!;
  const { score = (text: string) => text.length / 100, most = Infinity, longest = Infinity } = behaviour;
  const refuse = ({ said, status, headers = {} }: { said: string; status: number; headers?: Record<string, string> }): JsonAnswer => ({
    status,
    headers,
    body: said.startsWith('Failed to deserialize') ? said : wire.refusal(said, status),
  });
  return openJsonServer((request, count) => {
    const instead = behaviour.instead?.(request, count);
    if (instead) return 'said' in instead ? refuse(instead) : instead;
    if (request.path !== '/rerank') return refuse({ status: 404, said: `There is no ${request.path}` });
    const { [wire.texts]: texts, ...rest } = request.body as Record<string, unknown> & { texts?: string[]; documents?: string[] };
    const strange = Object.keys(rest).find((field) => wire.fields && !wire.fields.includes(field));
    if (!Array.isArray(texts)) return refuse(wire.missing);
    if (strange) return refuse({ status: 400, said: `unknown field: ${strange}` });
    if (texts.length > most || texts.some((text) => text.length > longest)) return refuse(wire.tooMany);
    const ranked = texts.flatMap((text, index) => ({ index, score: score(text) ?? [] }) as { index: number; score: number });
    const kept = ranked.filter((item) => typeof item.score === 'number').toSorted((a, b) => b.score - a.score);
    return { body: wire.answer(kept.slice(0, Number(rest.top_n ?? rest.top_k ?? kept.length)), texts) };
  });
}
