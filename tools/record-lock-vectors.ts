/**
 * Records the payments of the compiled lockers: escrows that Jupiter Lock created, claimed at random times,
 * and vestings that DAMM v2 released. `PROGRAMS_DIR=... node tools/record-lock-vectors.ts`; then review the
 * changes of the vectors.
 */
import { writeFileSync } from "node:fs";
import { ByteWriter } from "#demo/byte-writer.ts";
import { FieldWriter } from "#demo/field-writer.ts";
import { escrowAddress } from "#demo/jupiter-lock.ts";
import { seededRandom } from "#demo/seeded-random.ts";
import { mintAccount, tokenAccount } from "#demo/token-accounts.ts";
import { legacyTransaction } from "#src/proof/legacy-transaction.ts";
import { loadNative } from "#src/proof/vm/native.ts";
import { type Address, bytesOf } from "#src/units/address.ts";
import { LOADER_V3, SYSTEM_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import { findProgramAddress } from "#src/units/program-address.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { PROGRAM_ID as LOCKER } from "#src/venues/lockers/jupiter-lock.ts";
import * as damm from "#src/venues/meteora-damm-v2/layout.ts";
import { positionAddress } from "#src/venues/meteora-damm-v2/positions.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { dammV2Fixture, dammV2State } from "#test/support/pools/meteora-pools.ts";
import { programFile } from "./program-files.ts";

const CASES = 25;
const CLAIMS = 3;
const CREATED_AT = 1_790_000_000n;
const U64_MAX = (1n << 64n) - 1n;
const CREATE = discriminator("1764c55ede99265a");
const CLAIM = discriminator("3ec6d6c1d59f6cd2");
const REFRESH = discriminator("095ed80e74ccf700");

const random = seededRandom(24);
const native = loadNative();
const svm = new native.LiteSvm();
const budget = new native.ComputeBudget();
budget.computeUnitLimit = 1_400_000n;
budget.heapSize = 256 * 1024;
svm.setComputeBudget(budget);
svm.setSigverify(false);
svm.setBlockhashCheck(false);
svm.setTransactionHistory(0n);
for (const program of [LOCKER, damm.PROGRAM_ID]) {
  const code = programFile(program);
  if (code === null) throw new Error(`the compiled program ${program} is not in PROGRAMS_DIR`);
  svm.addProgramWithLoader(bytesOf(program), code, bytesOf(LOADER_V3));
}

type Meta = { readonly address: Address; readonly isSigner: boolean; readonly isWritable: boolean };
const meta = (address: Address, role = ""): Meta => ({
  address,
  isSigner: role.includes("s"),
  isWritable: role.includes("w"),
});

function put(address: Address, { owner, data }: Pick<Account, "owner" | "data">): void {
  const made = new native.Account(10_000_000_000n, data, bytesOf(owner), false, 0n);
  svm.setAccount(bytesOf(address), made);
}

function data(address: Address): Uint8Array {
  const account = svm.getAccount(bytesOf(address));
  if (account === null) throw new Error(`${address} does not exist`);
  return account.data();
}

function setTime(unixTimestamp: bigint, slot = 400_000_000n): void {
  svm.setClock(new native.Clock(slot, 0n, 900n, 901n, unixTimestamp));
}

/** Why the program refused; null: it did not. */
function send(programId: Address, accounts: readonly Meta[], bytes: Uint8Array): string | null {
  const payer = random.address();
  put(payer, { owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  const { bytes: message } = legacyTransaction(payer, { programId, accounts, data: bytes });
  const outcome = svm.sendLegacyTransaction(message);
  return "err" in outcome ? outcome.meta().logs().join("; ") : null;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const below = (limit: number): bigint => BigInt(Math.floor(random.uniform() * limit));

function escrowCase() {
  const [base, sender, recipient, mint] = Array.from({ length: 4 }, random.address);
  if (!base || !sender || !recipient || !mint) throw new Error("no addresses");
  const escrow = escrowAddress(base);
  const hasPeriods = random.uniform() < 0.8;
  const cliffAt = CREATED_AT + below(5_000);
  const period = 1n + below(2_000);
  const [cliffAmount, perPeriod] = [below(1e9), hasPeriods ? below(1e8) : 0n];
  const periods = hasPeriods ? below(12) : 0n;
  const total = cliffAmount + perPeriod * periods;
  const [from, to] = [associatedTokenAddress(sender, mint), associatedTokenAddress(escrow, mint)];
  const paid = associatedTokenAddress(recipient, mint);
  for (const wallet of [base, sender, recipient])
    put(wallet, { owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  put(mint, mintAccount({ supply: total, decimals: 9, slot: 0n }));
  put(from, tokenAccount({ mint, owner: sender, amount: total, slot: 0n }));
  put(to, tokenAccount({ mint, owner: escrow, amount: 0n, slot: 0n }));
  put(paid, tokenAccount({ mint, owner: recipient, amount: 0n, slot: 0n }));
  const authority = findProgramAddress(["__event_authority"], LOCKER);
  setTime(CREATED_AT);
  const terms = [CREATED_AT, cliffAt, period, cliffAmount, perPeriod, periods];
  const writer = new FieldWriter().raw(CREATE).u64(...terms);
  const refused = send(
    LOCKER,
    [
      ...[meta(base, "sw"), meta(escrow, "w"), meta(to, "w"), meta(sender, "sw")],
      ...[meta(from, "w"), meta(recipient), meta(TOKEN_PROGRAM), meta(SYSTEM_PROGRAM)],
      ...[meta(authority), meta(LOCKER)],
    ],
    Uint8Array.from([...writer.bytes(), 0, 0]),
  );
  if (refused !== null) throw new Error(refused);
  const claims = [];
  const span = Number(cliffAt - CREATED_AT + period * (periods + 2n) + 10n);
  const times = Array.from({ length: CLAIMS }, () => CREATED_AT + below(span));
  for (const at of times.toSorted((a, b) => (a < b ? -1 : 1))) {
    const [before, held] = [data(escrow), new ByteReader(data(paid)).u64(64)];
    setTime(at);
    const why = send(
      LOCKER,
      [
        ...[meta(escrow, "w"), meta(to, "w"), meta(recipient, "sw"), meta(paid, "w")],
        ...[meta(TOKEN_PROGRAM), meta(authority), meta(LOCKER)],
      ],
      new FieldWriter().raw(CLAIM).u64(U64_MAX).bytes(),
    );
    if (why !== null) throw new Error(why);
    const claimed = new ByteReader(data(paid)).u64(64) - held;
    claims.push({ escrow: hex(before), at: `${at}`, claimed: `${claimed}` });
  }
  return claims;
}

function vestingTerms(total: bigint, start: bigint) {
  const periods = below(8);
  const perPeriod = periods === 0n ? 0n : total / (2n * periods);
  const period = periods === 0n ? 0n : 1n + below(900);
  const cliffAt = start + below(2_000);
  return { cliffAt, period, perPeriod, periods, cliffAmount: total - perPeriod * periods };
}

function writeTerms(writer: ByteWriter, at: number, terms: ReturnType<typeof vestingTerms>): void {
  writer
    .u64(at + damm.INNER_VESTING.cliffPoint, terms.cliffAt)
    .u64(at + damm.INNER_VESTING.periodFrequency, terms.period)
    .u128(at + damm.INNER_VESTING.cliffUnlockLiquidity, terms.cliffAmount)
    .u128(at + damm.INNER_VESTING.liquidityPerPeriod, terms.perPeriod)
    .u16(at + damm.INNER_VESTING.numberOfPeriod, Number(terms.periods));
}

/** A position with a vesting in its own account and one in a separate account, refreshed at several times. */
function vestingCase() {
  const [token, owner, elsewhere, holder] = Array.from({ length: 4 }, random.address);
  if (!token || !owner || !elsewhere || !holder) throw new Error("no addresses");
  const countsSlots = random.uniform() < 0.5;
  const start = countsSlots ? 400_000_000n : CREATED_AT;
  const { pool, accounts } = dammV2Fixture(dammV2State());
  const account = accounts.get(pool);
  if (!account) throw new Error("no pool");
  account.data[damm.POOL.activationType] = countsSlots ? 0 : 1;
  put(pool, account);
  put(owner, { owner: SYSTEM_PROGRAM, data: new Uint8Array() });
  put(holder, tokenAccount({ mint: token, owner, amount: 1n, slot: 0n }));
  const [ownTotal, otherTotal] = [below(1e15) << 40n, below(1e15) << 40n];
  const position = positionAddress(token);
  const writer = new ByteWriter(new Uint8Array(damm.POSITION_LENGTH))
    .raw(0, damm.POSITION_DISCRIMINATOR)
    .address(damm.POSITION.pool, pool)
    .address(damm.POSITION.nftMint, token)
    .u128(damm.POSITION.unlockedLiquidity, 7n)
    .u128(damm.POSITION.vestedLiquidity, ownTotal + otherTotal);
  writeTerms(writer, damm.POSITION.innerVesting, vestingTerms(ownTotal, start));
  put(position, { owner: damm.PROGRAM_ID, data: writer.bytes });
  const other = new ByteWriter(new Uint8Array(damm.VESTING_LENGTH))
    .raw(0, damm.VESTING_DISCRIMINATOR)
    .address(damm.VESTING.position, position);
  writeTerms(other, damm.VESTING.innerVesting, vestingTerms(otherTotal, start));
  put(elsewhere, { owner: damm.PROGRAM_ID, data: other.bytes });
  const refreshes = [];
  const times = Array.from({ length: CLAIMS }, () => start + below(5_000));
  for (const at of times.toSorted((a, b) => (a < b ? -1 : 1))) {
    // The program closes a vesting that is fully paid out.
    const isOpen = (svm.getAccount(bytesOf(elsewhere))?.data().length ?? 0) > 0;
    const vesting = isOpen ? hex(data(elsewhere)) : null;
    const before = { position: hex(data(position)), vesting };
    setTime(countsSlots ? CREATED_AT : at, countsSlots ? at : 400_000_000n);
    const metas = [meta(pool), meta(position, "w"), meta(holder), meta(owner, "w")];
    const others = isOpen ? [meta(elsewhere, "w")] : [];
    const why = send(damm.PROGRAM_ID, [...metas, ...others], REFRESH);
    if (why !== null) throw new Error(why);
    const unlocked = new ByteReader(data(position)).u128(damm.POSITION.unlockedLiquidity);
    refreshes.push({ ...before, countsSlots, at: `${at}`, unlocked: `${unlocked}` });
  }
  return refreshes;
}

const vectors = {
  "jupiter-lock": Array.from({ length: CASES }, escrowCase).flat(),
  "meteora-damm-v2": Array.from({ length: CASES }, vestingCase).flat(),
};
for (const [name, lines] of Object.entries(vectors)) {
  const file = new URL(`../src/venues/lockers/vectors/${name}.json`, import.meta.url);
  writeFileSync(file, `[\n${lines.map((line) => JSON.stringify(line)).join(",\n")}\n]\n`);
}
