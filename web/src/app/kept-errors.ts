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
    if (action.type === "error") errors.set(query, action.error);
    const error = errors.get(query);
    if (action.type === "fetch" && query.state.data === undefined && error !== undefined)
      query.setState({ error, status: "error" });
  });
}
