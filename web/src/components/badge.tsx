import type { ReactNode } from "react";

const SIGNS = { good: "●", warn: "▲", bad: "■", plain: "" } as const;

type Props = { readonly look?: keyof typeof SIGNS; readonly children: ReactNode };

/** A state in one word, with a shape of its own beside the colour. */
export function Badge({ look = "plain", children }: Props) {
  const sign = SIGNS[look];
  return (
    <span className={`badge ${look}`}>
      {sign === "" ? null : <span aria-hidden="true">{sign}</span>}
      {children}
    </span>
  );
}
