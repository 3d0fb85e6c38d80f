/**
 * A map of at most `capacity` entries: setting one more removes the oldest. Setting a key again makes
 * it the newest; reading it does not. Our own, because lru-cache is not under a licence that we
 * accept and its reordering on each read would cost the hot path.
 */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#capacity) removeOldest(this);
    return this;
  }
}

/** A set of at most `capacity` values: adding one more removes the oldest. */
export class BoundedSet<Value> extends Set<Value> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override add(value: Value): this {
    super.add(value);
    if (this.size > this.#capacity) removeOldest(this);
    return this;
  }
}

function removeOldest<Key>(entries: {
  readonly keys: () => Iterator<Key>;
  readonly delete: (key: Key) => boolean;
}): void {
  const oldest = entries.keys().next();
  if (oldest.done !== true) entries.delete(oldest.value);
}
