/** The items in their order, in groups of at most `size`. */
export function chunksOf<Item>(items: Iterable<Item>, size: number): readonly (readonly Item[])[] {
  const all = [...items];
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < all.length; start += size)
    chunks.push(all.slice(start, start + size));
  return chunks;
}
