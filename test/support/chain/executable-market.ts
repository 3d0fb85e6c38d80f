import { DemoMarket, type DemoOptions } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import { VENUES } from "#src/venues/all.ts";
import { VENUE_SALES } from "#src/venues/all-sales.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { programFile } from "../../../tools/program-files.ts";
import { deployedAccounts } from "./program-accounts.ts";

/** The programs that accept the accounts of the demo market; CI has the first one's code. */
const EXECUTABLE: readonly VenueId[] = ["raydium-amm-v4", "raydium-cpmm"];
const DEPLOYED_SLOT = 310_000_000n;

/** A demo market of these venues alone, with their compiled programs deployed; null: none is here. */
export function executableMarket(
  options: Omit<DemoOptions, "programs" | "venues">,
  wanted: readonly VenueId[] = EXECUTABLE,
): DemoMarket | null {
  const codes = VENUE_SALES.filter(({ venue }) => wanted.includes(venue)).map((sale) => ({
    venue: sale.venue,
    programs: sale.programs.map((programId) => ({ programId, code: programFile(programId) })),
  }));
  const here = codes.filter(({ programs }) => programs.every(({ code }) => code !== null));
  if (here.length === 0) return null;
  const market = new DemoMarket({
    ...options,
    programs: MARKET_PROGRAMS.filter(({ venue }) => here.some((one) => one.venue === venue)),
    venues: VENUES,
  });
  for (const { programId, code } of here.flatMap(({ programs }) => programs)) {
    if (code === null) continue;
    market.ledger.apply(deployedAccounts(programId, { slot: DEPLOYED_SLOT, code }));
  }
  return market;
}
