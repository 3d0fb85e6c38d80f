import type { SubscribeRequest } from "@triton-one/yellowstone-grpc";
import { filterNames, type StreamMessage } from "./stream-messages.ts";

type AccountFilter = {
  readonly accepts: (message: StreamMessage) => boolean;
};

/** A request's filters, ready to be applied to many updates. */
export class StreamFilters {
  readonly #names: readonly string[];
  readonly #accounts: readonly AccountFilter[];
  readonly #transactions: readonly {
    readonly name: string;
    readonly include: ReadonlySet<string>;
  }[];
  readonly wantsSlots: boolean;
  /** The encoded names of each set of filters that an update passed, by its bits. */
  readonly #prefixes = new Map<string, Buffer>();

  constructor(request: SubscribeRequest) {
    const accounts = Object.entries(request.accounts);
    this.#names = accounts.map(([name]) => name);
    this.#accounts = accounts.map(([, { account, owner, filters }]) => {
      const addresses = new Set(account);
      const owners = new Set(owner);
      return {
        accepts: (message) => {
          const [address = ""] = message.addresses;
          if (addresses.size > 0 && !addresses.has(address)) return false;
          if (owners.size > 0 && !owners.has(message.owner ?? "")) return false;
          return filters.length === 0 || matches(message, filters);
        },
      };
    });
    this.#transactions = Object.entries(request.transactions).map(([name, { accountInclude }]) => ({
      name,
      include: new Set(accountInclude),
    }));
    this.wantsSlots = Object.keys(request.slots).length > 0;
  }

  /** The encoded names of the filters that the update passes; null: it passes none. */
  prefixOf(message: StreamMessage): Buffer | null {
    const passed: string[] = [];
    if (message.kind === "account") {
      for (const [place, filter] of this.#accounts.entries()) {
        if (filter.accepts(message)) passed.push(this.#names[place] ?? "");
      }
    } else {
      for (const { name, include } of this.#transactions) {
        if (message.addresses.some((address) => include.has(address))) passed.push(name);
      }
    }
    if (passed.length === 0) return null;
    const key = passed.join();
    const known = this.#prefixes.get(key);
    if (known !== undefined) return known;
    const made = filterNames(passed);
    this.#prefixes.set(key, made);
    return made;
  }
}

function matches(
  { account }: StreamMessage,
  filters: SubscribeRequest["accounts"][string]["filters"],
): boolean {
  const data = account?.data ?? new Uint8Array(0);
  return filters.every(({ datasize, memcmp }) => {
    if (datasize !== undefined && data.length !== Number(datasize)) return false;
    const start = Number(memcmp?.offset ?? 0);
    return (memcmp?.bytes ?? new Uint8Array(0)).every((byte, i) => data[start + i] === byte);
  });
}
