import { type Address, address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { AccountSet } from "../account-set.ts";
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
import type { BuiltSale, Placeholder, SaleRequest, VenueSale } from "../venue-sale.ts";
import { type BondingCurve, decodeBondingCurve } from "./decode.ts";
import { CURVE_FEE_CONFIG_ADDRESS, GLOBAL, GLOBAL_ADDRESS, PUMP_PROGRAM } from "./layout.ts";

/** PDA ["__event_authority"]. */
const EVENT_AUTHORITY = address("Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1");
const SELL_V2 = discriminator("5df6823ce7e940b2");
const SELL_V3 = discriminator("1c92de7726c469d5");
/** Of Global: the first of its lists of wallets that receive a part of the protocol's fee. */
const FEE_RECIPIENT_AT = 41;
const RESERVED_FEE_RECIPIENT_AT = 483;
const BUYBACK_RECIPIENTS_AT = 741;

/**
 * pump's sell_v3, and sell_v2 for cashback coins, which sell_v3 refuses. Both pay the same.
 *
 * @see crate pump-rust-client 0.5.0, src/sdk/pump_v3.rs and pump_v2.rs, with idls/pump.json
 */
export const pumpCurveSale: VenueSale = {
  venue: "pump-curve",
  programs: [PUMP_PROGRAM, PUMP_FEES_PROGRAM],
  build,
};

function build(request: SaleRequest): BuiltSale {
  const { pool, known, inputMint, outputMint } = request;
  const curve = decodeBondingCurve(known.get(pool));
  if (curve === null) return { kind: "unbuildable", reason: "no curve at this address" };
  if (outputMint !== curve.quoteMint) return { kind: "unbuildable", reason: "not a sale" };
  const baseProgram = tokenProgramOf(known, inputMint);
  if (typeof baseProgram !== "string") return baseProgram;
  const quoteProgram = tokenProgramOf(known, outputMint);
  if (typeof quoteProgram !== "string") return quoteProgram;
  const recipients = recipientsOf(known, curve);
  if (recipients === null) return { kind: "unbuildable", reason: "Global is missing" };
  const sale = { request, curve, baseProgram, quoteProgram, recipients };
  return curve.isCashback ? sellV2(sale) : sellV3(sale);
}

type SaleParts = {
  readonly request: SaleRequest;
  readonly curve: BondingCurve;
  readonly baseProgram: Address;
  readonly quoteProgram: Address;
  readonly recipients: { readonly fee: Address; readonly buyback: Address };
};

function sellV3(sale: SaleParts): BuiltSale {
  const { request, baseProgram, quoteProgram, recipients } = sale;
  const { pool, inputMint, outputMint, amountIn, seller } = request;
  const isSol = outputMint === WSOL;
  const buybackAccount = isSol
    ? recipients.buyback
    : associatedTokenAddress(recipients.buyback, outputMint, quoteProgram);
  const accounts = [
    readable(GLOBAL_ADDRESS),
    readable(inputMint),
    readable(outputMint),
    readable(baseProgram),
    readable(quoteProgram),
    writable(pool),
    ...curveVaults(sale).map(writable),
    signer(seller.wallet),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(volumeAccumulator(seller.wallet)),
    readable(CURVE_FEE_CONFIG_ADDRESS),
    writable(buybackAccount),
    readable(SYSTEM_PROGRAM),
    readable(EVENT_AUTHORITY),
    readable(PUMP_PROGRAM),
  ];
  return {
    kind: "built",
    instructions: [{ programId: PUMP_PROGRAM, accounts, data: u64Data(SELL_V3, amountIn, 0n) }],
    placeholders: [
      ...vaultPlaceholders(sale),
      isSol
        ? { kind: "wallet", address: buybackAccount }
        : tokenPlaceholder(buybackAccount, outputMint, recipients.buyback),
    ],
    paidIn: isSol ? "lamports" : "tokens",
  };
}

function sellV2(sale: SaleParts): BuiltSale {
  const { request, curve, baseProgram, quoteProgram, recipients } = sale;
  const { pool, inputMint, outputMint, amountIn, seller } = request;
  const ownedBy = (owner: Address) => associatedTokenAddress(owner, outputMint, quoteProgram);
  const creator = curve.creator ?? SYSTEM_PROGRAM;
  const creatorVault = findProgramAddress(["creator-vault", { address: creator }], PUMP_PROGRAM);
  const volume = volumeAccumulator(seller.wallet);
  const sharing = findProgramAddress(["sharing-config", { address: inputMint }], PUMP_FEES_PROGRAM);
  const accounts = [
    readable(GLOBAL_ADDRESS),
    readable(inputMint),
    readable(outputMint),
    readable(baseProgram),
    readable(quoteProgram),
    readable(ASSOCIATED_TOKEN_PROGRAM),
    writable(recipients.fee),
    writable(ownedBy(recipients.fee)),
    writable(recipients.buyback),
    writable(ownedBy(recipients.buyback)),
    writable(pool),
    ...curveVaults(sale).map(writable),
    signer(seller.wallet),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(creatorVault),
    writable(ownedBy(creatorVault)),
    readable(sharing),
    writable(volume),
    writable(ownedBy(volume)),
    readable(CURVE_FEE_CONFIG_ADDRESS),
    readable(PUMP_FEES_PROGRAM),
    readable(SYSTEM_PROGRAM),
    readable(EVENT_AUTHORITY),
    readable(PUMP_PROGRAM),
  ];
  const owners = [recipients.fee, recipients.buyback, creatorVault, volume];
  return {
    kind: "built",
    instructions: [{ programId: PUMP_PROGRAM, accounts, data: u64Data(SELL_V2, amountIn, 0n) }],
    placeholders: [
      ...vaultPlaceholders(sale),
      { kind: "wallet", address: recipients.fee },
      { kind: "wallet", address: recipients.buyback },
      { kind: "wallet", address: creatorVault },
      ...owners.map((owner) => tokenPlaceholder(ownedBy(owner), outputMint, owner)),
    ],
    paidIn: outputMint === WSOL ? "lamports" : "tokens",
  };
}

/** The curve's token accounts of the coin and of its quote. */
function curveVaults({
  request,
  baseProgram,
  quoteProgram,
}: SaleParts): readonly [Address, Address] {
  const { pool, inputMint, outputMint } = request;
  return [
    associatedTokenAddress(pool, inputMint, baseProgram),
    associatedTokenAddress(pool, outputMint, quoteProgram),
  ];
}

/** For the vaults that a quote does not load: the curve's account says what they hold. */
function vaultPlaceholders(sale: SaleParts): readonly Placeholder[] {
  const { request, curve } = sale;
  const { pool, inputMint, outputMint } = request;
  const [base, quote] = curveVaults(sale);
  return [
    tokenPlaceholder(base, inputMint, pool),
    { ...tokenPlaceholder(quote, outputMint, pool), amount: curve.realQuote },
  ];
}

function volumeAccumulator(wallet: Address): Address {
  return findProgramAddress(["user_volume_accumulator", { address: wallet }], PUMP_PROGRAM);
}

/** Mayhem coins pay the protocol's fee to another wallet. */
function recipientsOf(
  known: AccountSet,
  { isMayhem }: BondingCurve,
): SaleParts["recipients"] | null {
  const { discriminator: start } = GLOBAL;
  const minLength = BUYBACK_RECIPIENTS_AT + 32;
  const kind = { programId: PUMP_PROGRAM, discriminator: start, minLength };
  const reader = readOwn(known.get(GLOBAL_ADDRESS), kind);
  if (reader === null) return null;
  return {
    fee: reader.address(isMayhem ? RESERVED_FEE_RECIPIENT_AT : FEE_RECIPIENT_AT),
    buyback: reader.address(BUYBACK_RECIPIENTS_AT),
  };
}
