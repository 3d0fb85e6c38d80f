import type { ReactNode } from "react";
import { NumberHeadings } from "./number-headings.tsx";
import { ScrollBox } from "./scroll-box.tsx";

export type NumberRow = {
  readonly key: string | number;
  readonly heading: string;
  /** Texts beside the heading, one for each of `texts`. */
  readonly texts?: readonly string[];
  /** One for each of `numbers`. */
  readonly numbers: readonly ReactNode[];
};

type NumberTableProps = {
  readonly title: string;
  /** The names of the columns: the heading's, those of texts, and those of numbers. */
  readonly heading: string;
  readonly texts?: readonly string[];
  readonly numbers: readonly string[];
  readonly rows: readonly NumberRow[];
};

/** A table of figures, whose rows are cards on a phone. */
export function NumberTable({ title, heading, texts = [], numbers, rows }: NumberTableProps) {
  return (
    <ScrollBox label={title}>
      <table className="cards-on-phone">
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            {[heading, ...texts].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <NumberHeadings names={numbers} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.heading}</th>
              {texts.map((name, column) => (
                <td key={name} data-name={name}>
                  {row.texts?.[column]}
                </td>
              ))}
              {numbers.map((name, column) => (
                <td key={name} className="number" data-name={name}>
                  {row.numbers[column]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
