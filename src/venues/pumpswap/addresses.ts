import type { Address } from "#src/units/address.ts";
import { findProgramAddress, u16LeSeed } from "#src/units/program-address.ts";
import { PUMP_PROGRAM, PUMPSWAP_PROGRAM } from "./layout.ts";

/** Who creates the pool that a pump coin graduates to. Takes about 0.1 ms. */
export function poolAuthority(mint: Address): Address {
  return findProgramAddress(["pool-authority", { address: mint }], PUMP_PROGRAM);
}

export type PoolSeeds = {
  readonly index: number;
  readonly creator: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
};

export function poolAddress({ index, creator, baseMint, quoteMint }: PoolSeeds): Address {
  return findProgramAddress(
    ["pool", u16LeSeed(index), { address: creator }, { address: baseMint }, { address: quoteMint }],
    PUMPSWAP_PROGRAM,
  );
}
