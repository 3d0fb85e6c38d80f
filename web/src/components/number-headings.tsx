/** Headings of columns of numbers, in their order. */
export function NumberHeadings({ names }: { readonly names: readonly string[] }) {
  return names.map((name) => (
    <th key={name} scope="col" className="number">
      {name}
    </th>
  ));
}
