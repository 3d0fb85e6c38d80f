import { useEffect } from "react";

/** Names the browser's tab after what it shows. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Exitability" : `${title} · Exitability`;
  }, [title]);
}
