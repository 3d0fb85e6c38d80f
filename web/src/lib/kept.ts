/** What this browser keeps under a name; null where it keeps nothing, or lets no page keep anything. */
export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(`exitability.${name}`);
  } catch {
    // The reader blocks site data: as on the first visit.
    return null;
  }
}

/** Keeps a text for the next visit, where the browser allows it and has room. */
export function keep(name: string, text: string): void {
  try {
    localStorage.setItem(`exitability.${name}`, text);
  } catch {
    // Blocked, or full: this visit goes on, and the next one starts without it.
  }
}
