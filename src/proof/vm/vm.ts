import { type Address, bytesOf } from "#src/units/address.ts";
import { SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { errorText } from "./error-text.ts";
import type { Native, NativeAccount, NativeMeta, NativeSvm } from "./native.ts";
import type { VmAccount, VmMessage, VmProgram, VmResult, VmRun, VmStep } from "./vm-messages.ts";

/** More than any sale takes; a program that loops ends here, after some 30 ms. */
const COMPUTE_UNITS = 1_400_000n;
const HEAP_BYTES = 256 * 1024;
const LOG_BYTES = 10_000n;
const TOKEN_AMOUNT_AT = 64;
/** Of the system program: CreateAccount and Transfer move lamports. */
const CREATE_ACCOUNT = 0;
const TRANSFER = 2;

/** A Solana VM in this thread. Every call blocks until it is done. */
export class Vm {
  readonly #native: Native;
  readonly #svm: NativeSvm;

  constructor(native: Native) {
    this.#native = native;
    this.#svm = new native.LiteSvm();
    const budget = new native.ComputeBudget();
    budget.computeUnitLimit = COMPUTE_UNITS;
    budget.heapSize = HEAP_BYTES;
    this.#svm.setComputeBudget(budget);
    this.#svm.setSigverify(false);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setTransactionHistory(0n);
    this.#svm.setLogBytesLimit(LOG_BYTES);
  }

  /** @throws where the bytes are not a program that the VM accepts */
  load({ programId, loader, code }: VmProgram): void {
    this.#svm.addProgramWithLoader(bytesOf(programId), code, bytesOf(loader));
  }

  /** A result for each step. Leaves nothing behind: the same run again gives the same results. */
  execute({ accounts, steps, clock }: VmRun): readonly VmResult[] {
    const { slot, epoch, unixTimestamp } = clock;
    this.#svm.setClock(new this.#native.Clock(slot, 0n, epoch, epoch + 1n, unixTimestamp));
    try {
      for (const account of accounts) this.#put(account);
      return steps.map((step, index) => {
        if (step.startsOver === true && index > 0) {
          for (const account of accounts) this.#put(account);
        }
        return this.#firstExecuted(step);
      });
    } finally {
      for (const { address } of accounts) this.#put({ address, account: null });
      for (const { address } of steps.flatMap(({ seller }) => seller)) {
        this.#put({ address, account: null });
      }
    }
  }

  #put({ address, account }: VmAccount): void {
    const { owner, lamports, data } = account ?? {
      owner: SYSTEM_PROGRAM,
      lamports: 0n,
      data: new Uint8Array(),
    };
    const made = new this.#native.Account(lamports, data, bytesOf(owner), false, 0n);
    this.#svm.setAccount(bytesOf(address), made);
  }

  #firstExecuted(step: VmStep): VmResult {
    let refusal: VmResult | null = null;
    for (const message of step.attempts) {
      for (const account of step.seller) this.#put(account);
      const result = this.#send(message, step);
      if (result.kind === "executed") return result;
      refusal ??= result;
    }
    return refusal ?? { kind: "refused", reason: "no instruction", computeUnits: 0n };
  }

  #send({ bytes, addresses }: VmMessage, { wallet, tokenAccount }: VmStep): VmResult {
    const before = this.#balances(wallet, tokenAccount);
    const outcome = this.#svm.sendLegacyTransaction(bytes);
    if ("err" in outcome) {
      const meta = outcome.meta();
      const computeUnits = meta.computeUnitsConsumed();
      return { kind: "refused", reason: errorText(outcome.err(), meta.logs()), computeUnits };
    }
    const after = this.#balances(wallet, tokenAccount);
    return {
      kind: "executed",
      lamports: after.lamports - before.lamports + paidBy(wallet, addresses, outcome),
      tokens: after.tokens - before.tokens,
      computeUnits: outcome.computeUnitsConsumed(),
    };
  }

  #balances(wallet: Address, tokenAccount: Address) {
    return {
      lamports: this.#svm.getBalance(bytesOf(wallet)) ?? 0n,
      tokens: amountIn(this.#svm.getAccount(bytesOf(tokenAccount))),
    };
  }
}

function amountIn(account: NativeAccount | null | undefined): bigint {
  const data = account?.data();
  if (data === undefined || data.length < TOKEN_AMOUNT_AT + 8) return 0n;
  return new ByteReader(data).u64(TOKEN_AMOUNT_AT);
}

/** Lamports that the programs took out of a wallet: rent of accounts that they created or extended. */
function paidBy(wallet: Address, addresses: readonly Address[], meta: NativeMeta): bigint {
  let total = 0n;
  for (const instruction of meta.innerInstructions().flat()) {
    const inner = instruction.instruction();
    if (addresses[inner.programIdIndex()] !== SYSTEM_PROGRAM) continue;
    const [from] = inner.accounts();
    if (from === undefined || addresses[from] !== wallet) continue;
    const data = new ByteReader(inner.data());
    if (data.length < 12) continue;
    const kind = data.u32(0);
    if (kind === CREATE_ACCOUNT || kind === TRANSFER) total += data.u64(4);
  }
  return total;
}
