import { clmmFixture, clmmPools } from "#test/support/pools/clmm-pools.ts";
import { testConcentratedLaws } from "#test/support/pools/concentrated-properties.ts";
import { raydiumClmm } from "./adapter.ts";
import { quoteAscending } from "./quote.ts";

testConcentratedLaws({
  venue: raydiumClmm,
  pools: clmmPools,
  fixture: (fields) => {
    const { accounts, ...rest } = clmmFixture(fields);
    return { ...rest, accounts, known: accounts };
  },
  withoutMovingFee: ({ dynamicFee: _, ...rest }) => rest,
  quoteAscending,
});
