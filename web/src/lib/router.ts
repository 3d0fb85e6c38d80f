import { useSyncExternalStore } from "react";

const CHANGED = "exitability:navigate";

function subscribe(onChange: () => void): () => void {
  window.addEventListener("popstate", onChange);
  window.addEventListener(CHANGED, onChange);
  return () => {
    window.removeEventListener("popstate", onChange);
    window.removeEventListener(CHANGED, onChange);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** The path of the page with its search parameters: where signing in leads back to. */
export function useAddress(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname + window.location.search);
}

/**
 * The search parameters of the page, typed by `read`. A parameter that is absent or malformed is
 * whatever `read` makes of null, so a page never fails on its own address.
 */
export function useSearch<Search>(read: (parameters: URLSearchParams) => Search): Search {
  const text = useSyncExternalStore(subscribe, () => window.location.search);
  return read(new URLSearchParams(text));
}

type Navigation = {
  /** Changes the address in place: no entry in the history, no scrolling. */
  readonly isReplacing?: boolean;
};

export function navigate(path: string, { isReplacing = false }: Navigation = {}): void {
  if (path === window.location.pathname + window.location.search) return;
  if (isReplacing) window.history.replaceState(null, "", path);
  else {
    window.history.pushState(null, "", path);
    window.scrollTo(0, 0);
  }
  window.dispatchEvent(new Event(CHANGED));
}

type Changes = Readonly<Record<string, string | null>>;

/** Changes some search parameters of the page in place; null removes one. */
export function replaceSearch(changes: Changes): void {
  const { pathname, search } = window.location;
  navigate(pathWithSearch(pathname, changes, search), { isReplacing: true });
}

/** A path with these search parameters, added to those of `search`; null removes one. */
export function pathWithSearch(path: string, changes: Changes, search = ""): string {
  const parameters = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** A segment of a path in plain text; null if its escapes are malformed. */
export function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A malformed escape has no plain text.
    return null;
  }
}
