import { MEMO_PROGRAM } from "#src/units/known-addresses.ts";
import { discriminator } from "../byte-reader.ts";
import { readable, signer, tokenProgramOf, u64Data, writable } from "../shared/sale-instruction.ts";
import type { BuiltSale, SaleRequest, VenueSale } from "../venue-sale.ts";
import { readPoolHeader } from "./decode.ts";
import { IMMUTABLE, UPGRADEABLE, type WhirlpoolDeployment } from "./layout.ts";
import { oracleAddress, tickArrayAddress } from "./tick-arrays.ts";
import { arrayStarts } from "./tick-sequence.ts";

const SWAP_V2 = discriminator("2b04ed0b1ac91e62");
const NO_LIMIT = new Uint8Array(16);

export const orcaWhirlpoolSale = saleOf(UPGRADEABLE);
export const orcaWhirlpoolImmutableSale = saleOf(IMMUTABLE);

/** @see orca-so/whirlpools 630c0e01, programs/whirlpool/src/instructions/v2/swap.rs */
function saleOf({ venue, programId }: WhirlpoolDeployment): VenueSale {
  return { venue, programs: [programId], build };
}

function build({ pool, known, inputMint, amountIn, seller }: SaleRequest): BuiltSale {
  const header = readPoolHeader(known.get(pool));
  if (header === null) return { kind: "unbuildable", reason: "no pool at this address" };
  const { programId, mintA, mintB, tickCurrent, tickSpacing } = header;
  const programA = tokenProgramOf(known, mintA);
  if (typeof programA !== "string") return programA;
  const programB = tokenProgramOf(known, mintB);
  if (typeof programB !== "string") return programB;
  const isAToB = inputMint === mintA;
  const starts = arrayStarts(tickCurrent, tickSpacing, isAToB ? "down" : "up");
  const arrays = starts.map((start) => tickArrayAddress({ pool, programId }, start));
  const [first] = arrays;
  if (first === undefined) return { kind: "unbuildable", reason: "no tick array in range" };
  // Three are named; beyond the end of the range the last one again.
  const named = [0, 1, 2].map((index) => arrays[index] ?? arrays.at(-1) ?? first);
  const accounts = [
    readable(programA),
    readable(programB),
    readable(MEMO_PROGRAM),
    signer(seller.wallet),
    writable(pool),
    readable(mintA),
    readable(mintB),
    writable(isAToB ? seller.baseAccount : seller.quoteAccount),
    writable(header.vaultA),
    writable(isAToB ? seller.quoteAccount : seller.baseAccount),
    writable(header.vaultB),
    ...named.map(writable),
    writable(oracleAddress({ pool, programId })),
  ];
  const amounts = u64Data(SWAP_V2, amountIn, 0n);
  // Exact input, the direction, and no further accounts.
  const data = Uint8Array.of(...amounts, ...NO_LIMIT, 1, isAToB ? 1 : 0, 0);
  return {
    kind: "built",
    instructions: [{ programId, accounts, data }],
    placeholders: [],
    paidIn: "tokens",
  };
}
