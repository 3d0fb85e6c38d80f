import type { Query, QueryCache } from "@tanstack/react-query";

/**
 * Keeps the error of a query without data while it is read again: the library forgets it as soon as
 * the request starts, and each view would show its placeholder until the same error comes back.
 */
export function keepErrors(cache: QueryCache): void {
  const errors = new WeakMap<Query, Error>();
  cache.subscribe((event) => {
    if (event.type !== "updated") return;
    const { query, action } = event;
    if (action.type === "fetch") {
      const error = errors.get(query);
      if (error !== undefined) query.setState({ error, status: "error" });
    } else if (query.state.error === null || query.state.data !== undefined) errors.delete(query);
    else errors.set(query, query.state.error);
  });
}
