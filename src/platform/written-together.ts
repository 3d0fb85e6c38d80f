/** Writes that are gathered: each is answered once the write that it was part of is over. */
export type WrittenTogether<Item, Answer> = {
  readonly write: (item: Item) => Promise<Answer>;
  /** Writes that wait for those under way, and for how long the first item has, milliseconds. */
  readonly queue: () => { readonly length: number; readonly waitedMs: number };
};

type Waiting<Item, Answer> = {
  readonly item: Item;
  readonly sinceMs: number;
  readonly answer: PromiseWithResolvers<Answer>;
};

/**
 * Writes together what comes in one round of the event loop, or while `atOnce` writes are under way,
 * in the order in which it came: a commit takes as long for many as for one. Who comes alone waits for
 * nobody.
 *
 * @param write  writes all of it or nothing; one answer for each item, in their order
 * @param most  items of one write
 * @param isOnesFault  whether a failed write can be put down to some of its items: then each of them
 *   is written alone. Of any other failure everybody in it hears.
 */
export function writtenTogether<Item, Answer>(
  write: (items: readonly Item[]) => Promise<readonly Answer[]>,
  {
    most,
    atOnce,
    isOnesFault,
  }: {
    readonly most: number;
    readonly atOnce: number;
    readonly isOnesFault: (cause: unknown) => boolean;
  },
): WrittenTogether<Item, Answer> {
  const waiting: Waiting<Item, Answer>[] = [];
  let underWay = 0;
  let isDue = false;

  async function writeAll(some: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await write(some.map(({ item }) => item));
      if (answers.length !== some.length)
        throw new Error(`${some.length} were written, ${answers.length} answered`);
      for (const [place, answer] of answers.entries()) some[place]?.answer.resolve(answer);
    } catch (cause) {
      if (some.length > 1 && isOnesFault(cause)) for (const each of some) await writeAll([each]);
      else for (const { answer } of some) answer.reject(cause);
    }
  }

  function begin(): void {
    isDue = false;
    underWay++;
    void writeAll(waiting.splice(0, most)).then(() => {
      underWay--;
      beginSoon();
    });
    beginSoon();
  }

  function beginSoon(): void {
    if (isDue || underWay >= atOnce || waiting.length === 0) return;
    isDue = true;
    setImmediate(begin);
  }

  return {
    write(item) {
      const answer = Promise.withResolvers<Answer>();
      waiting.push({ item, sinceMs: performance.now(), answer });
      beginSoon();
      return answer.promise;
    },
    queue() {
      const [first] = waiting;
      return {
        length: Math.ceil(waiting.length / most),
        waitedMs: first === undefined ? 0 : performance.now() - first.sinceMs,
      };
    },
  };
}
