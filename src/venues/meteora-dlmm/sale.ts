import { address } from "#src/units/address.ts";
import { MEMO_PROGRAM } from "#src/units/known-addresses.ts";
import { discriminator } from "../byte-reader.ts";
import { readable, signer, tokenProgramOf, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import {
  arraysInReach,
  binArrayAddress,
  bitmapExtensionAddress,
  readBitmapExtension,
  readPair,
} from "./accounts.ts";
import { DLMM_PROGRAM, LB_PAIR, ORACLE } from "./layout.ts";

/** PDA ["__event_authority"]. */
const EVENT_AUTHORITY = address("D1ZN9Wj1fRSUQfCjhvnu1hqDMT7hzjzBBpi12nVniYD6");
const SWAP2 = discriminator("414b3f4ceb5b5b88");
/** After the amounts: no accounts for transfer hooks (u32). */
const NO_HOOKS = new Uint8Array(4);

/** @see MeteoraAg/dlmm-sdk 263a56d, idls/dlmm.json, instruction swap2 */
export const meteoraDlmmSale: VenueSale = {
  venue: "meteora-dlmm",
  programs: [DLMM_PROGRAM],
  build,
};

function build({ pool, known, inputMint, amountIn, seller }: SaleRequest): BuiltSale {
  const pair = readPair(known.get(pool));
  if (pair === null) return { kind: "unbuildable", reason: "no pair at this address" };
  const mintX = pair.address(LB_PAIR.tokenXMint);
  const mintY = pair.address(LB_PAIR.tokenYMint);
  const programX = tokenProgramOf(known, mintX);
  if (typeof programX !== "string") return programX;
  const programY = tokenProgramOf(known, mintY);
  if (typeof programY !== "string") return programY;
  const extensionAddress = bitmapExtensionAddress(pool);
  const extension = readBitmapExtension(known.get(extensionAddress));
  const { down, up } = arraysInReach({ pair, extension });
  const ahead = (inputMint === mintX ? down : up)
    .map((index) => binArrayAddress(pool, index))
    .filter((array) => known.get(array) !== null);
  const oracle = pair.address(LB_PAIR.oracle);
  // An optional account that is absent is named by the program's own id.
  const absent = readable(DLMM_PROGRAM);
  const accounts = [
    writable(pool),
    extension === null ? absent : writable(extensionAddress),
    writable(pair.address(LB_PAIR.reserveX)),
    writable(pair.address(LB_PAIR.reserveY)),
    writable(seller.baseAccount),
    writable(seller.quoteAccount),
    readable(mintX),
    readable(mintY),
    writable(oracle),
    absent,
    signer(seller.wallet),
    readable(programX),
    readable(programY),
    readable(MEMO_PROGRAM),
    readable(EVENT_AUTHORITY),
    readable(DLMM_PROGRAM),
    ...ahead.map(writable),
  ];
  const data = Uint8Array.of(...u64Data(SWAP2, amountIn, 0n), ...NO_HOOKS);
  const emptyOracle = new Uint8Array(ORACLE.length);
  emptyOracle.set(ORACLE.discriminator);
  return {
    kind: "built",
    instructions: [{ programId: DLMM_PROGRAM, accounts, data }],
    placeholders: [
      { kind: "program-account", address: oracle, owner: DLMM_PROGRAM, data: emptyOracle },
    ],
    paidIn: "tokens",
  };
}
