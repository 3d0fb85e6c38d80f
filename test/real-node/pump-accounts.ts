import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Address, address, addressFromBytes, bytesOf } from "#src/units/address.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL_ADDRESS } from "#src/venues/pump-curve/layout.ts";
import { GLOBAL_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS } from "#src/venues/pumpswap/layout.ts";
import type { Chain } from "./chain.ts";
import { IdlProgram } from "./idl.ts";
import { namedSigner } from "./transaction.ts";

export const MAYHEM_PROGRAM = address("MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e");

const PROGRAMS = [
  ["pump.so", "6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"],
  ["pump_amm.so", "pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA"],
  ["pump_fees.so", "pfeeUxB6jkeY1Hxd7CsFCAjcbHA9rWtchMGdZ6VojVZ"],
  ["mayhem_program.so", MAYHEM_PROGRAM],
  ["mpl_token_metadata.so", "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"],
] as const;

/** Offsets of Global and GlobalConfig that only trading needs. */
const GLOBAL_AT = { feeRecipient: 41, withdrawAuthority: 113, buyback: 741, maxDepth: 1087 };
const GLOBAL_LENGTH = 1_200;
const MAX_DEPTH = 5;
const CONFIG_AT = { protocolRecipients: 57, buyback: 643, boostAuthority: 907 };

const VOLUMES = {
  seed: "global_volume_accumulator",
  discriminator: "ca2af62b8ebe1eff",
  length: 544,
} as const;
const QUOTE_CONTROL = { discriminator: "38f423eec1d5a2c9", length: 108 } as const;

const RENT_LAMPORTS = 100_000_000n;
const FUNDS_LAMPORTS = 100_000_000_000_000n;

export const TRADER = namedSigner("trader");
export const PAYER = namedSigner("payer");
export const BOOST_AUTHORITY = namedSigner("boost authority");

/** Pump's programs, and the keys that their configuration names. */
export type PumpAccounts = {
  readonly pump: IdlProgram;
  readonly amm: IdlProgram;
  readonly curveFeeRecipient: Address;
  readonly curveBuyback: Address;
  readonly withdrawAuthority: Address;
  readonly poolFeeRecipient: Address;
  readonly poolBuyback: Address;
};

/**
 * Deploys pump's programs, and lays out what they need and no trade makes: their configuration as on
 * mainnet, with coins quoted in coins switched on, and a boost authority of ours.
 *
 * @param programs the folder with the compiled programs and their IDLs
 * @param accounts the folder with accounts of mainnet
 */
export function layOutPump(chain: Chain, programs: string, accounts: string): PumpAccounts {
  const pump = new IdlProgram(join(programs, "pump.json"));
  const amm = new IdlProgram(join(programs, "pump_amm.json"));
  for (const [file, programId] of PROGRAMS) {
    chain.deploy(address(programId), readFileSync(join(programs, file)));
  }
  const load = (at: Address, edit: (data: Uint8Array) => Uint8Array = (data) => data) => {
    const { account } = JSON.parse(readFileSync(join(accounts, `${at}.json`), "utf8"));
    const data = edit(Buffer.from(account.data[0], "base64"));
    chain.setAccount(at, { owner: address(account.owner), lamports: RENT_LAMPORTS, data });
    return data;
  };
  const global = load(GLOBAL_ADDRESS, (data) => {
    const longer = new Uint8Array(GLOBAL_LENGTH);
    longer.set(data);
    longer[GLOBAL_AT.maxDepth] = MAX_DEPTH;
    return longer;
  });
  const config = load(GLOBAL_CONFIG_ADDRESS, (data) => {
    data.set(bytesOf(BOOST_AUTHORITY.address), CONFIG_AT.boostAuthority);
    return data;
  });
  for (const fees of [CURVE_FEE_CONFIG_ADDRESS, POOL_FEE_CONFIG_ADDRESS]) load(fees);
  for (const { programId } of [pump, amm]) {
    layOutEmpty(chain, programId, findProgramAddress([VOLUMES.seed], programId), VOLUMES);
  }
  const quoteControl = findProgramAddress(["quote-control"], pump.programId);
  layOutEmpty(chain, pump.programId, quoteControl, QUOTE_CONTROL);
  const found: PumpAccounts = {
    pump,
    amm,
    curveFeeRecipient: addressFromBytes(global, GLOBAL_AT.feeRecipient),
    curveBuyback: addressFromBytes(global, GLOBAL_AT.buyback),
    withdrawAuthority: addressFromBytes(global, GLOBAL_AT.withdrawAuthority),
    poolFeeRecipient: addressFromBytes(config, CONFIG_AT.protocolRecipients),
    poolBuyback: addressFromBytes(config, CONFIG_AT.buyback),
  };
  for (const { address: owner } of [TRADER, PAYER, BOOST_AUTHORITY]) {
    chain.fund(owner, FUNDS_LAMPORTS);
  }
  // A wallet that was never used refuses fees below its rent.
  const vault = findProgramAddress(["creator-vault", { address: TRADER.address }], pump.programId);
  for (const owner of [vault, ...recipientsOf(found)]) chain.fund(owner, FUNDS_LAMPORTS);
  return found;
}

/** Everyone whom the programs pay fees to, but the creator. */
export function recipientsOf(accounts: PumpAccounts): readonly Address[] {
  const { curveFeeRecipient, curveBuyback, poolFeeRecipient, poolBuyback } = accounts;
  return [curveFeeRecipient, curveBuyback, poolFeeRecipient, poolBuyback];
}

/** An account of the program in which nothing is counted yet. */
function layOutEmpty(
  chain: Chain,
  owner: Address,
  at: Address,
  { discriminator, length }: { readonly discriminator: string; readonly length: number },
): void {
  const data = new Uint8Array(length);
  data.set(Buffer.from(discriminator, "hex"));
  chain.setAccount(at, { owner, lamports: RENT_LAMPORTS, data });
}
