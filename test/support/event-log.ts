import { PATIENCE_MS } from "./eventually.ts";

/** Collects what happens, and lets a test await something among it, past or to come. */
export class EventLog<Event> {
  readonly events: Event[] = [];
  readonly #waiting = new Set<() => void>();

  readonly add = (event: Event): void => {
    this.events.push(event);
    for (const check of this.#waiting) check();
  };

  /** The first event that satisfies; fails the test when none does in time. */
  first(satisfies: (event: Event) => boolean, what: string): Promise<Event> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = this.events.find(satisfies);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`never happened: ${what}`));
      }, PATIENCE_MS);
      this.#waiting.add(check);
      check();
    });
  }
}
