/** Headings of the columns of numbers, in order. */
export function NumberHeadings({ names }: { readonly names: readonly string[] }) {
  return names.map((name) => (
    <th key={name} scope="col" className="number">
      {name}
    </th>
  ));
}
