import { type Address, address } from "#src/units/address.ts";
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "../../account-set.ts";
import { ByteReader, discriminator } from "../../byte-reader.ts";
import type {
  BuiltSale,
  ChainSale,
  ChainSaleRequest,
  InstructionAccount,
  Placeholder,
  SaleHop,
  UnbuiltSale,
} from "../../venue-sale.ts";
import {
  readable,
  signer,
  tokenPlaceholder,
  tokenProgramOf,
  u64Data,
  writable,
} from "../sale-instruction.ts";
import { associatedTokenAddress } from "../token/associated-token.ts";
import { MULTI_HOP_SWAP, PUMP_FEES_PROGRAM } from "./fee-config.ts";

const PUMP_PROGRAM = address("6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P");
const PUMPSWAP_PROGRAM = address("pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA");
const MULTI_HOP = discriminator("2b644913e9f66f94");
/** PDAs ["__event_authority"] of both programs. */
const PUMP_EVENTS = address("Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1");
const PUMPSWAP_EVENTS = address("GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR");
const PUMP_GLOBAL = address("4wTV1YmiEkRvAtNtsSGPtUrqRYQMe5SKy2uB4Jjaxnjf");
const CURVE_FEE_CONFIG = address("8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt");
const GLOBAL_CONFIG = address("ADyA8hdefvWN2dbGGWFotbzWxrAvLW83WG6QCVXvJKqw");
const POOL_FEE_CONFIG = address("5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx");
/** The first of the wallets that receive the buyback: of Global, and of GlobalConfig. */
const CURVE_BUYBACK_AT = 741;
const POOL_BUYBACK_AT = 643;
/** Of a BondingCurve. */
const REAL_QUOTE_AT = 32;
/** Of a Pool. */
const BASE_VAULT_AT = 139;
const QUOTE_VAULT_AT = 171;

/**
 * pump_amm's multi_hop_swap, selling through curves and pools of pump in one instruction.
 *
 * @see crate pump-rust-client 0.5.0, src/sdk/pump_amm_ix.rs
 */
export const multiHopSale: ChainSale = {
  instruction: MULTI_HOP_SWAP,
  programs: [PUMPSWAP_PROGRAM, PUMP_PROGRAM, PUMP_FEES_PROGRAM],
  build,
};

type HopAccounts = {
  readonly metas: readonly InstructionAccount[];
  readonly placeholders: readonly Placeholder[];
};

function build(request: ChainSaleRequest): BuiltSale {
  const { hops, known, amountIn, seller, outputMint } = request;
  const last = hops.at(-1);
  if (last === undefined) return { kind: "unbuildable", reason: "no hop" };
  const named: HopAccounts[] = [];
  for (const hop of hops) {
    const found = accountsOf(hop, known);
    if ("kind" in found) return found;
    named.push(found);
  }
  const buyback = buybackOf(last, known);
  if (buyback === null) return { kind: "unbuildable", reason: "the configuration is missing" };
  const outProgram = tokenProgramOf(known, outputMint);
  if (typeof outProgram !== "string") return outProgram;
  const buybackAccount = associatedTokenAddress(buyback, outputMint, outProgram);
  const volume = findProgramAddress(
    ["user_volume_accumulator", { address: seller.wallet }],
    PUMPSWAP_PROGRAM,
  );
  const accounts = [
    signer(seller.wallet),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    readable(GLOBAL_CONFIG),
    readable(POOL_FEE_CONFIG),
    writable(volume),
    writable(buybackAccount),
    readable(TOKEN_PROGRAM),
    readable(TOKEN_2022_PROGRAM),
    readable(SYSTEM_PROGRAM),
    readable(PUMPSWAP_EVENTS),
    readable(PUMPSWAP_PROGRAM),
    readable(PUMP_PROGRAM),
    readable(PUMP_GLOBAL),
    readable(CURVE_FEE_CONFIG),
    readable(PUMP_EVENTS),
    ...named.flatMap(({ metas }) => metas),
  ];
  const isPaidByCurve = last.venue === "pump-curve" && outputMint === WSOL;
  return {
    kind: "built",
    // A minimum of zero is refused.
    instructions: [
      { programId: PUMPSWAP_PROGRAM, accounts, data: u64Data(MULTI_HOP, amountIn, 1n) },
    ],
    placeholders: [
      ...named.flatMap(({ placeholders }) => placeholders),
      tokenPlaceholder(buybackAccount, outputMint, buyback),
    ],
    paidIn: isPaidByCurve ? "lamports" : "tokens",
  };
}

function accountsOf(
  { venue, pool, inputMint, outputMint }: SaleHop,
  known: AccountSet,
): HopAccounts | UnbuiltSale {
  const account = known.get(pool);
  if (account === undefined) return { kind: "needs", addresses: [pool] };
  if (account === null || (account.data.length < QUOTE_VAULT_AT + 32 && venue !== "pump-curve")) {
    return { kind: "unbuildable", reason: `${pool} is not a pool` };
  }
  const start = [readable(inputMint), readable(outputMint), writable(pool)];
  const reader = new ByteReader(account.data);
  if (venue !== "pump-curve") {
    const vaults = [reader.address(BASE_VAULT_AT), reader.address(QUOTE_VAULT_AT)];
    return { metas: [...start, ...vaults.map(writable)], placeholders: [] };
  }
  const baseProgram = tokenProgramOf(known, inputMint);
  if (typeof baseProgram !== "string") return baseProgram;
  const quoteProgram = tokenProgramOf(known, outputMint);
  if (typeof quoteProgram !== "string") return quoteProgram;
  const base = associatedTokenAddress(pool, inputMint, baseProgram);
  const quote = associatedTokenAddress(pool, outputMint, quoteProgram);
  return {
    metas: [...start, writable(base), writable(quote)],
    placeholders: [
      tokenPlaceholder(base, inputMint, pool),
      {
        ...tokenPlaceholder(quote, outputMint, pool),
        amount: outputMint === WSOL ? 0n : reader.u64(REAL_QUOTE_AT),
      },
    ],
  };
}

/** Listed by the configuration of the last hop's program, which takes the protocol's fee. */
function buybackOf({ venue }: SaleHop, known: AccountSet): Address | null {
  const isCurve = venue === "pump-curve";
  const data = known.get(isCurve ? PUMP_GLOBAL : GLOBAL_CONFIG)?.data;
  const offset = isCurve ? CURVE_BUYBACK_AT : POOL_BUYBACK_AT;
  if (data === undefined || data.length < offset + 32) return null;
  return new ByteReader(data).address(offset);
}
