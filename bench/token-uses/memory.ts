import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { tokenAccount } from "#demo/token-accounts.ts";
import { systemClock } from "#src/platform/clock.ts";
import { TokenHolderReads } from "#src/track/holders/token-holders.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function used(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Bytes of the holders of one token with twenty accounts of twenty owners, measured over the maximum number of kept tokens. */
export async function bytesOfTokenHolders(): Promise<number> {
  let token = 0;
  const owned = (place: number) =>
    tokenAccount({
      mint: numbered(0, token),
      owner: numbered(100 + place, token),
      amount: 5n,
      slot: 1n,
    });
  const readAccounts = async (addresses: readonly Address[]) => ({
    slot: 1n,
    accounts: new Map(addresses.map((each, place) => [each, owned(place)])),
  });
  const reads = new TokenHolderReads({
    source: {
      findLargestAccounts: async () => ({
        kind: "found",
        addresses: Array.from({ length: 20 }, (_, place) => numbered(place, token)),
      }),
      readAccounts,
    },
    clock: systemClock,
    signal: new AbortController().signal,
  });
  const tokens = 2_000;
  const before = await used();
  for (token = 1; token <= tokens; token++) await reads.of(numbered(0, token), new Map());
  const bytes = (await used()) - before;
  await reads.of(numbered(0, 1), new Map());
  return Math.round(bytes / tokens);
}

/** A made-up address. */
function numbered(number: number, of = 0): Address {
  const bytes = new Uint8Array(32).fill(9);
  const view = new DataView(bytes.buffer);
  view.setUint32(28, number);
  view.setUint32(20, of);
  return addressFromBytes(bytes);
}
