import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import { discriminator } from "../byte-reader.ts";
import { readOwn } from "../shared/own-account.ts";
import { PUMP_FEES_PROGRAM } from "../shared/pump-fees/fee-config.ts";
import {
  readable,
  signer,
  tokenPlaceholder,
  tokenProgramOf,
  u64Data,
  writable,
} from "../shared/sale-instruction.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAddress,
} from "../shared/token/associated-token.ts";
import type {
  BuiltSale,
  InstructionAccount,
  Placeholder,
  SaleRequest,
  VenueSale,
} from "../venue-sale.ts";
import { decodePool, type Pool } from "./decode.ts";
import {
  GLOBAL_CONFIG,
  GLOBAL_CONFIG_ADDRESS,
  POOL_FEE_CONFIG_ADDRESS,
  PUMPSWAP_PROGRAM,
} from "./layout.ts";

/** PDA ["__event_authority"]. */
const EVENT_AUTHORITY = address("GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR");
/** PDA ["global_volume_accumulator"]. */
const GLOBAL_VOLUME = address("C2aFPdENg4A2HQsmrd5rTw5TaYBX5Ku887cWjbFKtZpw");
const GLOBAL_VOLUME_LENGTH = 544;
const GLOBAL_VOLUME_DISCRIMINATOR = discriminator("ca2af62b8ebe1eff");
const SELL = discriminator("33e685a4017f83ad");
const SELL_V2 = discriminator("5df6823ce7e940b2");
const BUY_EXACT_QUOTE_IN_V2 = discriminator("c2ab1c46684d5b2f");
const BUY_EXACT_QUOTE_IN = discriminator("c62e1552b4d9e870");
/** Of GlobalConfig: the first of its lists of wallets that receive a part of the fees. */
const PROTOCOL_RECIPIENTS_AT = 57;
const RESERVED_RECIPIENT_AT = 385;
const BUYBACK_RECIPIENTS_AT = 643;

/**
 * The pools' sell_v2 for their base, buy_exact_quote_in_v2 for their quote, and the first version of
 * both for cashback coins, which the second refuses. All pay what the model says.
 *
 * @see crate pump-rust-client 0.5.0, src/sdk/pump_amm_ix.rs, with idls/pump_amm.json
 */
export const pumpSwapSale: VenueSale = {
  venue: "pumpswap",
  programs: [PUMPSWAP_PROGRAM, PUMP_FEES_PROGRAM],
  build,
};

function build(request: SaleRequest): BuiltSale {
  const { known, inputMint } = request;
  const pool = decodePool(known.get(request.pool));
  if (pool === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const baseProgram = tokenProgramOf(known, pool.baseMint);
  if (typeof baseProgram !== "string") return baseProgram;
  const quoteProgram = tokenProgramOf(known, pool.quoteMint);
  if (typeof quoteProgram !== "string") return quoteProgram;
  const recipients = recipientsOf(request, pool);
  if (recipients === null) return { kind: "unbuildable", reason: "GlobalConfig is missing" };
  const sale = { request, pool, baseProgram, quoteProgram, recipients };
  if (pool.isCashback) return firstVersion(sale);
  return secondVersion(sale, inputMint === pool.baseMint ? SELL_V2 : BUY_EXACT_QUOTE_IN_V2);
}

type SaleParts = {
  readonly request: SaleRequest;
  readonly pool: Pool;
  readonly baseProgram: Address;
  readonly quoteProgram: Address;
  readonly recipients: { readonly protocol: Address; readonly buyback: Address };
};

/** The accounts that both versions begin with, after the pool, the seller and the configuration. */
function poolAccounts({ request, pool }: SaleParts): readonly InstructionAccount[] {
  const { seller, inputMint } = request;
  const isSale = inputMint === pool.baseMint;
  return [
    readable(pool.baseMint),
    readable(pool.quoteMint),
    writable(isSale ? seller.baseAccount : seller.quoteAccount),
    writable(isSale ? seller.quoteAccount : seller.baseAccount),
    writable(pool.baseVault),
    writable(pool.quoteVault),
  ];
}

function secondVersion(sale: SaleParts, name: Uint8Array): BuiltSale {
  const { request, pool, baseProgram, quoteProgram, recipients } = sale;
  const { seller, amountIn } = request;
  const buyback = associatedTokenAddress(recipients.buyback, pool.quoteMint, quoteProgram);
  const accounts = [
    writable(request.pool),
    signer(seller.wallet),
    readable(GLOBAL_CONFIG_ADDRESS),
    ...poolAccounts(sale),
    readable(baseProgram),
    readable(quoteProgram),
    readable(SYSTEM_PROGRAM),
    writable(volumeAccumulator(seller.wallet)),
    readable(POOL_FEE_CONFIG_ADDRESS),
    writable(buyback),
    readable(EVENT_AUTHORITY),
    readable(PUMPSWAP_PROGRAM),
  ];
  // A purchase has to name a minimum.
  const minimumOut = name === SELL_V2 ? 0n : 1n;
  return {
    kind: "built",
    instructions: [
      { programId: PUMPSWAP_PROGRAM, accounts, data: u64Data(name, amountIn, minimumOut) },
    ],
    placeholders: [tokenPlaceholder(buyback, pool.quoteMint, recipients.buyback)],
    paidIn: "tokens",
  };
}

function firstVersion(sale: SaleParts): BuiltSale {
  const { request, pool, baseProgram, quoteProgram, recipients } = sale;
  const { seller, amountIn } = request;
  const ownedBy = (owner: Address) => associatedTokenAddress(owner, pool.quoteMint, quoteProgram);
  const creator = pool.coinCreator ?? SYSTEM_PROGRAM;
  const creatorVault = findProgramAddress(
    ["creator_vault", { address: creator }],
    PUMPSWAP_PROGRAM,
  );
  const volume = volumeAccumulator(seller.wallet);
  const poolV2 = findProgramAddress(["pool-v2", { address: pool.baseMint }], PUMPSWAP_PROGRAM);
  const isSale = request.inputMint === pool.baseMint;
  // A purchase names the volume accumulator among its own accounts.
  const cashback = [
    writable(ownedBy(volume)),
    ...(isSale ? [writable(volume)] : []),
    readable(poolV2),
  ];
  const start = [
    writable(request.pool),
    signer(seller.wallet),
    readable(GLOBAL_CONFIG_ADDRESS),
    ...poolAccounts(sale),
    readable(recipients.protocol),
    writable(ownedBy(recipients.protocol)),
    readable(baseProgram),
    readable(quoteProgram),
    readable(SYSTEM_PROGRAM),
    readable(ASSOCIATED_TOKEN_PROGRAM),
    readable(EVENT_AUTHORITY),
    readable(PUMPSWAP_PROGRAM),
    writable(ownedBy(creatorVault)),
    readable(creatorVault),
    ...(isSale ? [] : [readable(GLOBAL_VOLUME), writable(volume)]),
    readable(POOL_FEE_CONFIG_ADDRESS),
    readable(PUMP_FEES_PROGRAM),
  ];
  const end = [readable(recipients.buyback), writable(ownedBy(recipients.buyback))];
  const data = isSale ? u64Data(SELL, amountIn, 0n) : purchaseData(amountIn);
  const owners = [recipients.protocol, creatorVault, volume, recipients.buyback];
  return {
    kind: "built",
    // The accounts of the cashback are read only where a creator fee is charged.
    instructions: [
      { programId: PUMPSWAP_PROGRAM, accounts: [...start, ...cashback, ...end], data },
      { programId: PUMPSWAP_PROGRAM, accounts: [...start, ...end], data },
    ],
    placeholders: [
      ...owners.map((owner) => tokenPlaceholder(ownedBy(owner), pool.quoteMint, owner)),
      ...(isSale ? [] : [noVolume()]),
    ],
    paidIn: "tokens",
  };
}

/** A purchase has to name a minimum; the byte after it is whether its volume is counted. */
function purchaseData(amountIn: bigint): Uint8Array {
  return Uint8Array.of(...u64Data(BUY_EXACT_QUOTE_IN, amountIn, 1n), 0);
}

function noVolume(): Placeholder {
  const data = new Uint8Array(GLOBAL_VOLUME_LENGTH);
  data.set(GLOBAL_VOLUME_DISCRIMINATOR);
  return { kind: "program-account", address: GLOBAL_VOLUME, owner: PUMPSWAP_PROGRAM, data };
}

function volumeAccumulator(wallet: Address): Address {
  return findProgramAddress(["user_volume_accumulator", { address: wallet }], PUMPSWAP_PROGRAM);
}

/** Mayhem coins pay the protocol's fee to another wallet. */
function recipientsOf({ known }: SaleRequest, { isMayhem }: Pool): SaleParts["recipients"] | null {
  const reader = readOwn(known.get(GLOBAL_CONFIG_ADDRESS), {
    programId: PUMPSWAP_PROGRAM,
    discriminator: GLOBAL_CONFIG.discriminator,
    minLength: BUYBACK_RECIPIENTS_AT + 32,
  });
  if (reader === null) return null;
  return {
    protocol: reader.address(isMayhem ? RESERVED_RECIPIENT_AT : PROTOCOL_RECIPIENTS_AT),
    buyback: reader.address(BUYBACK_RECIPIENTS_AT),
  };
}
