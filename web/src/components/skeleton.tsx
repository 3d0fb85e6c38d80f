import { useText } from "../lib/preferences.tsx";

type Props = { readonly height: string; readonly width?: string };

/** Holds the place of what is being loaded, at its final size. */
export function Skeleton({ height, width = "100%" }: Props) {
  const text = useText();
  return (
    <div className="skeleton" style={{ height, width }}>
      <span className="visually-hidden">{text.common.loading}</span>
    </div>
  );
}
