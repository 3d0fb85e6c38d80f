/** What a gRPC server accepts in one subscription. */
export type GeyserLimits = {
  /** Filters of a type. */
  readonly filters: number;
  /** Addresses in one filter: accounts, owners, or mentioned in transactions. */
  readonly addresses: number;
  /** Of the whole request. */
  readonly bytes: number;
};

/** Servers accept 4 MiB unless configured otherwise; the rest is learned from refusals. */
export const FIRST_LIMITS: GeyserLimits = {
  filters: 1_000,
  addresses: 1_000_000,
  bytes: 3_500_000,
};
/** An address in base58 with its length and field. */
const BYTES_PER_ADDRESS = 46;
const SHARE_OF_MESSAGE = 0.8;

/** The limits with the one that the refusal names; null: it names none, or nothing new. */
export function learnedLimits(limits: GeyserLimits, reason: string): GeyserLimits | null {
  const addresses = numberIn(/max amount of pubkeys reached, only (\d+) allowed/i, reason);
  if (addresses !== null && addresses < limits.addresses) return { ...limits, addresses };
  const filters = numberIn(/max amount of filters\S* reached, only (\d+) allowed/i, reason);
  if (filters !== null && filters < limits.filters) return { ...limits, filters };
  const most =
    numberIn(/message length too large.*limit is:? (\d+)/i, reason) ??
    numberIn(/message larger than max \(\d+ vs\.? (\d+)\)/i, reason);
  const bytes = most === null ? null : Math.floor(most * SHARE_OF_MESSAGE);
  if (bytes !== null && bytes < limits.bytes) return { ...limits, bytes };
  return null;
}

function numberIn(pattern: RegExp, text: string): number | null {
  const [, digits] = pattern.exec(text) ?? [];
  const number = Number(digits);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** How many followed accounts fit into a stream that has so many other account filters. */
export function accountsPerStream(limits: GeyserLimits, otherFilters: number): number {
  const filters = Math.max(0, limits.filters - otherFilters);
  return Math.min(filters * limits.addresses, Math.floor(limits.bytes / BYTES_PER_ADDRESS));
}
