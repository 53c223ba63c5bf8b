/**
 * Gathers single calls into batches of at most `size`: calls that are made in the same turn of the event loop go together. Each gets its own result;
 * when a batch fails, all of its calls do.
 */
export function batched<In, Out>(size: number, work: (items: In[]) => Promise<Out[]>): (item: In) => Promise<Out> {
  let waiting: { item: In; resolve: (result: Out) => void; reject: (error: unknown) => void }[] = [];
  const send = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    work(batch.map(({ item }) => item)).then(
      (results) => batch.forEach(({ resolve }, i) => resolve(results[i]!)),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    );
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length === size) send();
      else if (waiting.length === 1) setImmediate(send);
    });
}
