/** Does the work for each, a few at a time, and keeps the order. */
export async function mapSome<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, place: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  async function drain(): Promise<void> {
    for (const [place, item] of queue) results[place] = await work(item, place);
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, drain));
  return results;
}
