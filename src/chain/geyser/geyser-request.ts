import type {
  SubscribeRequest,
  SubscribeRequestFilterAccounts,
} from "@triton-one/yellowstone-grpc";
import { chunksOf } from "#src/platform/chunks.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import type { Commitment } from "../rpc/rpc-reader.ts";
import type { GeyserLimits } from "./geyser-limits.ts";

/** The complete subscription of one stream; each request contains all of it. */
export type GeyserWants = {
  readonly accounts: ReadonlySet<Address>;
  readonly programs: readonly ProgramsFilter[];
  /** Transactions that mention any of these. */
  readonly mentioned: ReadonlySet<Address>;
};

/** One account filter: programs followed whole, together, or some accounts of one program. */
export type ProgramsFilter =
  | { readonly kind: "whole"; readonly programIds: readonly Address[] }
  | { readonly kind: "some"; readonly filter: ProgramFilter };

/** The names of the filters for single accounts begin with this. */
export const ACCOUNTS_FILTER = "accounts";

const COMMITMENT = { processed: 0, confirmed: 1, finalized: 2 } as const;

/**
 * The whole subscription as one request, which replaces the stream's previous one. An empty filter
 * would match every account on the chain, so it is left out.
 */
export function subscribeRequest(
  wants: GeyserWants,
  commitment: Commitment,
  limits: GeyserLimits,
): SubscribeRequest {
  const accounts: Record<string, SubscribeRequestFilterAccounts> = {};
  for (const [index, account] of chunksOf(wants.accounts, limits.addresses).entries()) {
    const name = index === 0 ? ACCOUNTS_FILTER : `${ACCOUNTS_FILTER}${index}`;
    accounts[name] = { account: [...account], owner: [], filters: [] };
  }
  for (const [index, programs] of wants.programs.entries()) {
    accounts[`program${index}`] =
      programs.kind === "some"
        ? programFilter(programs.filter)
        : { account: [], owner: [...programs.programIds], filters: [] };
  }
  const transactions = chunksOf(wants.mentioned, limits.addresses).map((mentioned, index) => [
    index === 0 ? "transactions" : `transactions${index}`,
    {
      vote: false,
      failed: false,
      accountInclude: [...mentioned],
      accountExclude: [],
      accountRequired: [],
    },
  ]);
  return {
    ...EMPTY,
    accounts,
    // Of a processed slot it matters what becomes of it.
    slots: { slots: { filterByCommitment: commitment !== "processed" } },
    transactions: Object.fromEntries(transactions),
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
      bytes: typeof bytes === "string" ? bytesOf(bytes) : bytes,
    },
  }));
  return { account: [], owner: [programId], filters: [...size, ...compared] };
}
