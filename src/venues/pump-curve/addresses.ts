import type { Address } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { PUMP_PROGRAM } from "./layout.ts";

/** The one curve that pump makes for a mint. Takes about 0.1 ms. */
export function curveAddress(mint: Address): Address {
  return findProgramAddress(["bonding-curve", { address: mint }], PUMP_PROGRAM);
}
