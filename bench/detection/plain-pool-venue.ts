import { sha256 } from "@noble/hashes/sha2.js";
import { type Address, addressFromBytes, bytesOf } from "#src/units/address.ts";
import { TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import type { Decoded, Quote, Venue, VenueId } from "#src/venues/venue.ts";

/**
 * A constant-product program of our own, as small as one can be, so that tracking is tested apart
 * from any real program: tag, two mints, two vaults, fee, paused.
 */
export type PlainState = {
  readonly mintA: Address;
  readonly mintB: Address;
  readonly reserveA: bigint;
  readonly reserveB: bigint;
  readonly feeBps: bigint;
  readonly isPaused: boolean;
};

export type PlainAccount = Omit<Account, "slot">;

export type PlainPool = {
  readonly address: Address;
  readonly mintA: Address;
  readonly mintB: Address;
  readonly vaultA: Address;
  readonly vaultB: Address;
};

const TAG = 0x706c61696e706f6fn;
const LENGTH = 139;

/** A deterministic address out of a name. */
export function namedAddress(name: string): Address {
  return addressFromBytes(sha256(new TextEncoder().encode(name)));
}

export const PLAIN_PROGRAM = namedAddress("plain program");

export function plainPool(name: string, mintA: Address, mintB: Address): PlainPool {
  return {
    address: namedAddress(`${name} pool`),
    mintA,
    mintB,
    vaultA: namedAddress(`${name} vault A`),
    vaultB: namedAddress(`${name} vault B`),
  };
}

/** Address of the one pool of a mint that only the program can create. */
export function derivedPool(mint: Address, mintB: Address): PlainPool {
  return plainPool(`derived ${mint}`, mint, mintB);
}

export function plainPoolAccount(
  pool: PlainPool,
  options: { readonly feeBps?: number; readonly isPaused?: boolean } = {},
): PlainAccount {
  const data = new Uint8Array(LENGTH);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, TAG, true);
  [pool.mintA, pool.mintB, pool.vaultA, pool.vaultB].forEach((address, index) => {
    data.set(bytesOf(address), 8 + 32 * index);
  });
  view.setUint16(136, options.feeBps ?? 30, true);
  view.setUint8(138, options.isPaused === true ? 1 : 0);
  return { owner: PLAIN_PROGRAM, lamports: 1n, data };
}

export function vaultAccount(mint: Address, amount: bigint): PlainAccount {
  const data = new Uint8Array(165);
  data.set(bytesOf(mint), 0);
  new DataView(data.buffer).setBigUint64(64, amount, true);
  data[108] = 1;
  return { owner: TOKEN_PROGRAM, lamports: 1n, data };
}

export function mintAccount(
  options: { readonly supply?: bigint; readonly decimals?: number } = {},
): PlainAccount {
  const data = new Uint8Array(82);
  const view = new DataView(data.buffer);
  view.setBigUint64(36, options.supply ?? 1_000_000_000_000_000n, true);
  data[44] = options.decimals ?? 6;
  data[45] = 1;
  return { owner: TOKEN_PROGRAM, lamports: 1n, data };
}

export function plainVenue(id: VenueId = "raydium-cpmm"): Venue<PlainState> {
  return {
    id,
    family: "raydium",
    kind: "amm",
    programId: PLAIN_PROGRAM,
    search: (mint) => ({
      derived: [derivedPool(mint, mint).address],
      configured: () => [],
      filters: [8, 40].map((offset) => ({
        programId: PLAIN_PROGRAM,
        dataSize: LENGTH,
        memcmp: [{ offset, bytes: mint }],
      })),
    }),
    accountsNeeded: (pool, known) => {
      const read = readPool(pool, known);
      return read === null ? [pool] : [pool, read.vaultA, read.vaultB];
    },
    outline: (pool, known) => {
      const read = readPool(pool, known);
      if (read === null) return null;
      const { mintA, mintB, vaultA, vaultB } = read;
      const heldA = tokenBalance(known.get(vaultA));
      return { mintA, mintB, heldA, heldB: tokenBalance(known.get(vaultB)) };
    },
    shares: () => ({ kind: "unread-positions" }),
    decode,
    status: (state) => (state.isPaused ? "paused" : "open"),
    cautions: () => [],
    quoteExactIn: (state, { inputMint, amountIn }) => quote(state, inputMint, amountIn),
    spotPrice: (state, inputMint) => {
      const [reserveIn, reserveOut] = sides(state, inputMint);
      if (reserveIn === 0n || reserveOut === 0n) return null;
      return { numerator: reserveOut, denominator: reserveIn };
    },
    reachable: (state, inputMint, fallBps) => {
      const [, reserveOut] = sides(state, inputMint);
      if (fallBps >= 10_000) return reserveOut;
      // The price falls with the square of the quote reserve that is left.
      const left = BigInt(Math.floor(Math.sqrt(1 - fallBps / 10_000) * 1e9));
      return reserveOut - (reserveOut * left) / 1_000_000_000n;
    },
    feePpm: (state) => Number(state.feeBps) * 100,
  };
}

function decode(pool: Address, known: AccountSet): Decoded<PlainState> {
  const read = readPool(pool, known);
  if (read === null) {
    return known.get(pool) === undefined
      ? { kind: "unusable", reason: "missing-account", detail: "pool" }
      : { kind: "unusable", reason: "undecodable", detail: "pool" };
  }
  const reserveA = tokenBalance(known.get(read.vaultA));
  const reserveB = tokenBalance(known.get(read.vaultB));
  if (reserveA === null || reserveB === null) {
    return { kind: "unusable", reason: "missing-account", detail: "vault" };
  }
  const { mintA, mintB, feeBps, isPaused } = read;
  return { kind: "pool", state: { mintA, mintB, reserveA, reserveB, feeBps, isPaused } };
}

function readPool(pool: Address, known: AccountSet) {
  const account = known.get(pool);
  if (account === null || account === undefined || account.owner !== PLAIN_PROGRAM) return null;
  if (account.data.length !== LENGTH) return null;
  const reader = new ByteReader(account.data);
  if (reader.u64(0) !== TAG) return null;
  return {
    mintA: reader.address(8),
    mintB: reader.address(40),
    vaultA: reader.address(72),
    vaultB: reader.address(104),
    feeBps: BigInt(reader.u16(136)),
    isPaused: reader.bool(138),
  };
}

function sides(state: PlainState, inputMint: Address): readonly [bigint, bigint] {
  return inputMint === state.mintA
    ? [state.reserveA, state.reserveB]
    : [state.reserveB, state.reserveA];
}

function quote(state: PlainState, inputMint: Address, amountIn: bigint): Quote<PlainState> {
  if (state.isPaused) return { kind: "unfillable", reason: "paused" };
  if (amountIn === 0n) return { kind: "unfillable", reason: "amount-zero" };
  const [reserveIn, reserveOut] = sides(state, inputMint);
  const afterFee = (amountIn * (10_000n - state.feeBps)) / 10_000n;
  const amountOut = reserveIn === 0n ? 0n : (reserveOut * afterFee) / (reserveIn + afterFee);
  if (amountOut === 0n) return { kind: "unfillable", reason: "output-zero" };
  const [newIn, newOut] = [reserveIn + amountIn, reserveOut - amountOut];
  const after =
    inputMint === state.mintA
      ? { ...state, reserveA: newIn, reserveB: newOut }
      : { ...state, reserveA: newOut, reserveB: newIn };
  return { kind: "filled", amountOut, after };
}
