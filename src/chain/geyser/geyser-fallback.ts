import type { Address } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { ChainSource, Following, Subscription, TransactionSource } from "../chain-source.ts";
import type {
  AccountFollower,
  GeyserFollowers,
  ProgramFollower,
  TransactionFollower,
} from "./geyser-followers.ts";

/** What no stream delivers. */
export type NotStreamed = {
  /** Null: a stream delivers every account. */
  readonly isAccount: ((address: Address) => boolean) | null;
  readonly isProgram: (filter: ProgramFilter) => boolean;
  readonly areTransactions: boolean;
};

type FollowedElsewhere = { readonly following: Following; addresses: ReadonlySet<Address> };

/** Follows over the node's WebSocket what no gRPC stream delivers at the moment. */
export class GeyserFallback {
  readonly #node: ChainSource & TransactionSource;
  readonly #accounts = new Map<AccountFollower, FollowedElsewhere>();
  readonly #programs = new Map<ProgramFollower, Subscription>();
  readonly #transactions = new Map<TransactionFollower, FollowedElsewhere>();

  constructor(node: ChainSource & TransactionSource) {
    this.#node = node;
  }

  /** Subscribes to what became missing, and unsubscribes from what is streamed again. */
  update(followers: GeyserFollowers, missing: NotStreamed): void {
    const { accounts, programs, transactions } = followers;
    follow(this.#accounts, accounts, {
      open: ({ events }) => this.#node.follow(events),
      isMissing: missing.isAccount,
    });
    follow(this.#transactions, transactions, {
      open: ({ events }) => this.#node.followTransactions(events),
      isMissing: missing.areTransactions ? () => true : null,
    });
    for (const [follower, subscription] of this.#programs) {
      if (programs.includes(follower) && missing.isProgram(follower.filter)) continue;
      this.#programs.delete(follower);
      void subscription.close();
    }
    for (const follower of programs) {
      if (this.#programs.has(follower) || !missing.isProgram(follower.filter)) continue;
      const { filter, onUpdate } = follower;
      this.#programs.set(follower, this.#node.followProgram(filter, onUpdate));
    }
  }

  async close(): Promise<void> {
    const open = [
      ...[...this.#accounts.values(), ...this.#transactions.values()].map((it) => it.following),
      ...this.#programs.values(),
    ];
    await Promise.all(open.map((subscription) => subscription.close()));
  }
}

function follow<Follower extends { readonly addresses: ReadonlySet<Address> }>(
  elsewhere: Map<Follower, FollowedElsewhere>,
  followers: readonly Follower[],
  how: {
    readonly open: (follower: Follower) => Following;
    readonly isMissing: ((address: Address) => boolean) | null;
  },
): void {
  for (const [follower, { following }] of elsewhere) {
    if (followers.includes(follower)) continue;
    elsewhere.delete(follower);
    void following.close();
  }
  for (const follower of followers) {
    const { isMissing } = how;
    const wanted = new Set(isMissing === null ? [] : [...follower.addresses].filter(isMissing));
    const open = elsewhere.get(follower);
    if (wanted.size === 0) {
      elsewhere.delete(follower);
      void open?.following.close();
      continue;
    }
    const { following, addresses } = open ?? { following: how.open(follower), addresses: wanted };
    if (open === undefined) following.add([...wanted]);
    else {
      following.remove([...addresses].filter((address) => !wanted.has(address)));
      following.add([...wanted].filter((address) => !addresses.has(address)));
    }
    elsewhere.set(follower, { following, addresses: wanted });
  }
}
