/** One answer of many that were asked for together: undefined where there is none. */
export type Batched<Value> = (key: string) => Promise<Value | undefined>;

type Waiting<Value> = Map<string, PromiseWithResolvers<Value | undefined>>;

/**
 * Asks for everything that was asked for in one round of the event loop at once, at most `most` keys
 * together. Where asking fails, everybody in it hears of it.
 */
export function batched<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  most: number,
): Batched<Value> {
  let gathered: Waiting<Value> | null = null;

  function ask(some: Waiting<Value>): void {
    load([...some.keys()]).then(
      (answers) => {
        for (const [key, { resolve }] of some) resolve(answers.get(key));
      },
      (cause: unknown) => {
        for (const { reject } of some.values()) reject(cause);
      },
    );
  }

  return (key) => {
    let waiting = gathered;
    if (waiting === null || (waiting.size >= most && !waiting.has(key))) {
      const begun: Waiting<Value> = new Map();
      setImmediate(() => {
        if (gathered === begun) gathered = null;
        ask(begun);
      });
      gathered = begun;
      waiting = begun;
    }
    const known = waiting.get(key) ?? Promise.withResolvers<Value | undefined>();
    waiting.set(key, known);
    return known.promise;
  };
}
