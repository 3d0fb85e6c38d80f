import { type Address, bytesOf } from "#src/units/address.ts";
import { MEMO_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { discriminator } from "../byte-reader.ts";
import { readable, signer, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { readPoolHeader } from "./decode.ts";
import { POOL_STATE, PROGRAM_ID } from "./layout.ts";
import {
  bitmapExtensionAddress,
  hasBitmapExtension,
  markedArrays,
  readBitmapExtension,
  tickArrayAddress,
} from "./tick-arrays.ts";

const SWAP_V2 = discriminator("2b04ed0b1ac91e62");
/** After the amounts: no price limit (u128), exact input (bool). */
const NO_LIMIT_EXACT_INPUT = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
/** As builds before 2025 lay it out. Every pool on chain has one; only recorded states lack it. */
const OBSERVATION = {
  discriminator: discriminator("7aaec5358109a584"),
  length: 52_121,
  initialized: 8,
  pool: 9,
} as const;

/** @see raydium-io/raydium-clmm 03b44b7, instructions/swap_v2.rs */
export const raydiumClmmSale: VenueSale = {
  venue: "raydium-clmm",
  programs: [PROGRAM_ID],
  build,
};

function build(request: SaleRequest): BuiltSale {
  const { pool, known, inputMint, amountIn, seller } = request;
  const header = readPoolHeader(known.get(pool));
  if (header === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const { mint0, mint1, vault0, vault1 } = header;
  const isDown = inputMint === mint0;
  const [inputVault, outputVault] = isDown ? [vault0, vault1] : [vault1, vault0];
  const observation = header.reader.address(POOL_STATE.observationKey);
  const accounts = [
    signer(seller.wallet),
    readable(header.ammConfig),
    writable(pool),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    writable(inputVault),
    writable(outputVault),
    writable(observation),
    readable(TOKEN_PROGRAM),
    readable(TOKEN_2022_PROGRAM),
    readable(MEMO_PROGRAM),
    readable(isDown ? mint0 : mint1),
    readable(isDown ? mint1 : mint0),
    ...arraysFor(request, isDown ? "down" : "up").map(writable),
  ];
  const amounts = u64Data(SWAP_V2, amountIn, 0n);
  const data = Uint8Array.of(...amounts, ...NO_LIMIT_EXACT_INPUT);
  return {
    kind: "built",
    instructions: [{ programId: PROGRAM_ID, accounts, data }],
    placeholders: [
      {
        kind: "program-account",
        address: observation,
        owner: PROGRAM_ID,
        data: emptyObservation(pool),
      },
    ],
    paidIn: "tokens",
  };
}

/** The bitmap extension and the marked arrays ahead, as far as they exist: the program reads each. */
function arraysFor({ pool, known }: SaleRequest, direction: "up" | "down") {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return [];
  const { reader, tickSpacing, tickCurrent } = header;
  const extensionAddress = bitmapExtensionAddress(pool);
  const account = hasBitmapExtension(tickSpacing) ? known.get(extensionAddress) : null;
  const extension = account ? readBitmapExtension(account, bytesOf(pool)) : null;
  const starts = markedArrays({ pool: reader, extension, tickSpacing }, tickCurrent, direction);
  const arrays = starts.map((start) => tickArrayAddress(pool, start));
  return [
    ...(extension === null ? [] : [extensionAddress]),
    ...arrays.filter((array) => known.get(array) !== null),
  ];
}

/** The program writes the price there; a sale's result does not depend on it. */
function emptyObservation(pool: Address): Uint8Array {
  const data = new Uint8Array(OBSERVATION.length);
  data.set(OBSERVATION.discriminator);
  data[OBSERVATION.initialized] = 1;
  data.set(bytesOf(pool), OBSERVATION.pool);
  return data;
}
