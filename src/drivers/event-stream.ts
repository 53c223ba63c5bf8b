/** One event of a stream: its name (`message` where it has none), and its data. */
export interface ServerEvent {
  event: string;
  data: string;
}

/**
 * Reads a stream of events as the HTML standard defines it (section 9.2.6), in whatever pieces it comes: lines end in LF, CR or both, several lines of
 * data are joined, comments and fields that nobody needs are skipped, and an event that is not complete at the end is none.
 */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { event: event || 'message', data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
  }
}

/** Whole lines alone. A CR at the end of what has come may be the first half of a line's end. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
    const lines = whole.split(/\r\n|\n|\r/);
    rest = lines.pop()! + rest.slice(whole.length);
    yield* lines;
  }
  if (rest.endsWith('\r')) yield rest.slice(0, -1);
}
