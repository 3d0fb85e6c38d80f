import type { ReactNode } from "react";
import { NumberHeadings } from "./number-headings.tsx";
import { ScrollBox } from "./scroll-box.tsx";

export type NumberRow = {
  readonly key: string | number;
  readonly heading: string;
  /** Cells of text after the row's heading, one for each column in `texts`. */
  readonly texts?: readonly string[];
  /** Cells of figures, one for each column in `numbers`. */
  readonly numbers: readonly ReactNode[];
};

type NumberTableProps = {
  readonly title: string;
  /** The names of the columns: of the rows' headings, of the texts, and of the numbers. */
  readonly heading: string;
  readonly texts?: readonly string[];
  readonly numbers: readonly string[];
  readonly rows: readonly NumberRow[];
};

/** A table of figures; on a phone each row becomes a card. */
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
