import type { ReactNode } from "react";

const MARKS = { info: "i", warn: "!", bad: "✕", unknown: "?" } as const;

type Props = {
  readonly look: keyof typeof MARKS;
  readonly title?: string;
  readonly children?: ReactNode;
  /** Read out as soon as it appears. */
  readonly isLive?: boolean;
};

/** Something the reader should know: a sign, a word and a colour, never a colour alone. */
export function Notice({ look, title, children, isLive = false }: Props) {
  return (
    <div className={`notice ${look}`} {...(isLive ? { role: "status" } : {})}>
      <span className="notice-mark" aria-hidden="true">
        {MARKS[look]}
      </span>
      <div className="notice-body stack">
        {title === undefined ? null : <strong>{title}</strong>}
        {children === undefined ? null : <div>{children}</div>}
      </div>
    </div>
  );
}
