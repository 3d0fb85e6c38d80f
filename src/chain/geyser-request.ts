import type {
  SubscribeRequest,
  SubscribeRequestFilterAccounts,
} from "@triton-one/yellowstone-grpc";
import type { Address } from "#src/units/address.ts";
import { addressBytes } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { Commitment } from "./rpc-reader.ts";

/** The complete subscription of one stream; each request contains all of it. */
export type GeyserWants = {
  readonly accounts: ReadonlySet<Address>;
  /** By the filter name that their updates carry. */
  readonly programs: ReadonlyMap<string, ProgramFilter>;
  /** Transactions that mention any of these. */
  readonly mentioned: ReadonlySet<Address>;
};

export const ACCOUNTS_FILTER = "accounts";

const COMMITMENT = { processed: 0, confirmed: 1, finalized: 2 } as const;

/**
 * The whole subscription as one request, which replaces the stream's previous one. An empty filter
 * would match every account on the chain, so it is left out.
 */
export function subscribeRequest(wants: GeyserWants, commitment: Commitment): SubscribeRequest {
  const accounts: Record<string, SubscribeRequestFilterAccounts> = {};
  if (wants.accounts.size > 0) {
    accounts[ACCOUNTS_FILTER] = { account: [...wants.accounts], owner: [], filters: [] };
  }
  for (const [name, filter] of wants.programs) accounts[name] = programFilter(filter);
  const mentioned = [...wants.mentioned];
  return {
    ...EMPTY,
    accounts,
    slots: { slots: { filterByCommitment: true } },
    transactions:
      mentioned.length === 0
        ? {}
        : {
            transactions: {
              vote: false,
              failed: false,
              accountInclude: mentioned,
              accountExclude: [],
              accountRequired: [],
            },
          },
    commitment: COMMITMENT[commitment],
  };
}

/** A server replies to a ping and keeps the subscription. */
export function pingRequest(id: number): SubscribeRequest {
  return { ...EMPTY, ping: { id } };
}

const EMPTY: SubscribeRequest = {
  accounts: {},
  slots: {},
  transactions: {},
  transactionsStatus: {},
  blocks: {},
  blocksMeta: {},
  entry: {},
  accountsDataSlice: [],
};

function programFilter({
  programId,
  dataSize,
  memcmp,
}: ProgramFilter): SubscribeRequestFilterAccounts {
  const size = dataSize === null ? [] : [{ datasize: String(dataSize) }];
  const compared = memcmp.map(({ offset, bytes }) => ({
    memcmp: {
      offset: String(offset),
      bytes: typeof bytes === "string" ? (addressBytes(bytes) ?? new Uint8Array(0)) : bytes,
    },
  }));
  return { account: [], owner: [programId], filters: [...size, ...compared] };
}
