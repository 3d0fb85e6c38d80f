import { testConcentratedLaws } from "#test/support/pools/concentrated-properties.ts";
import { whirlpoolFixture, whirlpools } from "#test/support/pools/whirlpools.ts";
import { orcaWhirlpool } from "./adapter.ts";
import { quoteAscending } from "./quote.ts";

testConcentratedLaws({
  venue: orcaWhirlpool,
  pools: whirlpools,
  fixture: whirlpoolFixture,
  withoutMovingFee: ({ adaptiveFee: _, ...rest }) => rest,
  quoteAscending,
});
