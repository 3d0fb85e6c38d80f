import type { UnpricedPool } from "#src/measure/market/market.ts";
import { type Address, address } from "#src/units/address.ts";

type UnmodelledProgram = { readonly name: string; readonly kind: UnpricedPool["kind"] };

/**
 * Programs that trade launchpad tokens and that no venue models (docs/decisions/0097-venues-by-name.md). A
 * token found there has a market that is known by name alone.
 */
const UNMODELLED: ReadonlyMap<Address, UnmodelledProgram> = new Map([
  // docs.meteora.ag, developer guides
  [address("dPro1D5wiqnGMH8vMDG23jh35btTHoWdyqXjqkqxe8n"), amm("meteora-dlmm-pro")],
  // The decoders of these programs: sevenlabs-hq/carbon; of Boop: rpcpool/yellowstone-vixen
  [address("MoonCVVNZFSYkqNXP6bxHLPL6QQJiMagDL3qcqUQTrG"), curve("moonit")],
  [address("boop8hVGQGqehUK2iVEMEnMrL5RbjywRzHKBmBE7ry4"), curve("boop")],
  [address("5U3EU2ubXtK84QcRjWVmYt9RaDyA8gKxdUrPFXmZyaki"), curve("virtuals")],
  [address("HEAVENoP2qxoeuF8Dj2oT1GHEnu49U5mJYkdeC8BAX2o"), amm("heaven")],
  [address("FLUXubRmkEi2q6K3Y9kBPg9248ggaZVsoSFhtJHSrm1X"), amm("fluxbeam")],
]);

/** A pool of the program at this address, which is neither priced nor weighed; null: another program. */
export function unmodelledPool(programId: Address, at: Address): UnpricedPool | null {
  const program = UNMODELLED.get(programId);
  if (program === undefined) return null;
  return {
    venue: program.name,
    family: "other",
    kind: program.kind,
    address: at,
    reason: "unsupported",
    detail: "no venue models this program",
    quoteHeld: null,
    quoteMint: null,
  };
}

function amm(name: string): UnmodelledProgram {
  return { name, kind: "amm" };
}

function curve(name: string): UnmodelledProgram {
  return { name, kind: "curve" };
}
