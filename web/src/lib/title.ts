import { useEffect } from "react";

/** Names the browser's tab after what it shows; an alert changes the tab's icon and title too. */
export function useTitle(title: string, isAlerting = false): void {
  useEffect(() => {
    const sign = isAlerting ? "▼ " : "";
    document.title = title === "" ? "Exitability" : `${sign}${title} · Exitability`;
  }, [title, isAlerting]);
  useEffect(() => {
    if (!isAlerting) return;
    setIcon("/icon-alert.svg");
    return () => setIcon("/icon.svg");
  }, [isAlerting]);
}

function setIcon(href: string): void {
  document.querySelector('link[rel="icon"]')?.setAttribute("href", href);
}
