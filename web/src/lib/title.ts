import { useEffect } from "react";
import icon from "../app/icon.svg";
import alertIcon from "../app/icon-alert.svg";

/** Names the browser's tab after what it shows; an alert changes the tab's icon and title too. */
export function useTitle(title: string, isAlerting = false): void {
  useEffect(() => {
    const sign = isAlerting ? "▼ " : "";
    document.title = title === "" ? "Exitability" : `${sign}${title} · Exitability`;
  }, [title, isAlerting]);
  useEffect(() => {
    if (!isAlerting) return;
    setIcon(alertIcon);
    return () => setIcon(icon);
  }, [isAlerting]);
}

function setIcon(href: string): void {
  document.querySelector('link[rel="icon"]')?.setAttribute("href", href);
}
