import assert from "node:assert/strict";
import { test } from "node:test";
import { getProgramDerivedAddress } from "@solana/kit";
import fc from "fast-check";
import { address } from "./address.ts";
import { findProgramAddress, u16LeSeed } from "./program-address.ts";

test("a pump coin's curve and canonical pool are where mainnet has them", () => {
  const pump = address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P");
  const pumpSwap = address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA");
  const wsol = address("So11111111111111111111111111111111111111112");
  assert.equal(
    findProgramAddress(
      ["bonding-curve", { address: address("5PHFdQdv1v5Q455T5TrJVokAmcdnUEfKPVwdGtitpump") }],
      pump,
    ),
    "8yJxwx92yKL2SFa23LvWxpF5W3MDsLaKEjXeAstkuNhn",
  );
  const mint = address("4ov9rwwS4iBHeTWGCrVaQYW1HzWK51MSfs8csGAApump");
  const authority = findProgramAddress(["pool-authority", { address: mint }], pump);
  assert.equal(
    findProgramAddress(
      ["pool", u16LeSeed(0), { address: authority }, { address: mint }, { address: wsol }],
      pumpSwap,
    ),
    "8HbgiXuiNbHRcxiNG8UBD8GLewoy6QVDnPFPgjFGmszf",
  );
});

test("any seeds lead to the address that kit derives", async () => {
  const program = address("whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 6 }),
      async (seeds) => {
        const [expected] = await getProgramDerivedAddress({
          programAddress: program as never,
          seeds,
        });
        assert.equal(findProgramAddress(seeds, program), expected);
      },
    ),
    { numRuns: 60 },
  );
});
