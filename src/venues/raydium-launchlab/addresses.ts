import type { Address } from "#src/units/address.ts";
import { findProgramAddress, u16BeSeed } from "#src/units/program-address.ts";
import { LAUNCHLAB_PROGRAM } from "./layout.ts";

/** The one launch of a base mint against a quote mint. Takes about 0.1 ms. */
export function launchAddress(baseMint: Address, quoteMint: Address): Address {
  return findProgramAddress(
    ["pool", { address: baseMint }, { address: quoteMint }],
    LAUNCHLAB_PROGRAM,
  );
}

export function launchVaultAddress(pool: Address, mint: Address): Address {
  return findProgramAddress(
    ["pool_vault", { address: pool }, { address: mint }],
    LAUNCHLAB_PROGRAM,
  );
}

export type GlobalConfigSeeds = {
  readonly quoteMint: Address;
  readonly curveType: number;
  readonly index: number;
};

export function globalConfigAddress({ quoteMint, curveType, index }: GlobalConfigSeeds): Address {
  return findProgramAddress(
    ["global_config", { address: quoteMint }, Uint8Array.of(curveType), u16BeSeed(index)],
    LAUNCHLAB_PROGRAM,
  );
}
