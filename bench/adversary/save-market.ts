import { rm } from "node:fs/promises";
import { writeRecording } from "#src/node/recording.ts";
import type { Address } from "#src/units/address.ts";
import { writeMarket } from "./market-accounts.ts";
import type { MarketPlan } from "./pool-plan.ts";

/** Writes the market's accounts as a recording that `exitability measure` reads; replaces an earlier one. */
export async function saveMarket(folder: string, plan: MarketPlan): Promise<Address> {
  const { mint, accounts } = writeMarket(plan);
  await rm(folder, { recursive: true, force: true });
  await writeRecording(folder, { accounts, refusedSearches: [] });
  return mint;
}
