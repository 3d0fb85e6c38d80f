import type {
  AccountUpdate,
  ObservedInstruction,
  ObservedTransaction,
} from "#src/chain/chain-source.ts";
import { errorText } from "#src/proof/vm/error-text.ts";
import {
  loadNative,
  type Native,
  type NativeAccount,
  type NativeMeta,
  type NativeSvm,
} from "#src/proof/vm/native.ts";
import { type Address, addressFromBytes, bytesOf } from "#src/units/address.ts";
import { LOADER_V3, SYSTEM_PROGRAM } from "#src/units/known-addresses.ts";
import type { Chain, ChainAccount, Executed } from "./chain.ts";
import { type Instruction, type Signer, signedTransaction } from "./transaction.ts";

const START_SLOT = 460_000_000;
const START_SECONDS = 1_790_000_000;
const SLOTS_AN_EPOCH = 432_000;
const SLOT_MS = 400;
/** As nodes truncate logs. */
const LOG_BYTES = 10_000n;
/** No blockhash is checked. */
const BLOCKHASH = SYSTEM_PROGRAM;

export type SeenExecution = {
  readonly transaction: ObservedTransaction;
  /** The accounts that it could have changed, as they are after it. */
  readonly updates: readonly AccountUpdate[];
};

/** What the service does not use of the native module. */
type WholeSvm = NativeSvm & { withNativeMints(): void };
type WholeAccount = NativeAccount & { lamports(): bigint; owner(): Uint8Array };

/** The VM of this process as a chain of its own, whose slots a test ends. */
export class VmChain implements Chain {
  readonly #native: Native;
  readonly #svm: NativeSvm;
  readonly #onExecuted: (seen: SeenExecution) => void;
  #slot = START_SLOT;

  /** @throws where there is no VM for this platform */
  constructor(onExecuted: (seen: SeenExecution) => void) {
    this.#native = loadNative();
    const svm = new this.#native.LiteSvm() as WholeSvm;
    svm.withNativeMints();
    this.#svm = svm;
    this.#svm.setSigverify(false);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setTransactionHistory(0n);
    this.#svm.setLogBytesLimit(LOG_BYTES);
    this.#onExecuted = onExecuted;
    this.endSlot();
  }

  get slot(): bigint {
    return BigInt(this.#slot);
  }

  get nowMs(): number {
    return START_SECONDS * 1_000 + (this.#slot - START_SLOT) * SLOT_MS;
  }

  endSlot(): void {
    this.#slot++;
    const epoch = BigInt(Math.floor(this.#slot / SLOTS_AN_EPOCH));
    const seconds = BigInt(Math.floor(this.nowMs / 1_000));
    this.#svm.setClock(new this.#native.Clock(this.slot, 0n, epoch, epoch + 1n, seconds));
  }

  deploy(programId: Address, code: Uint8Array): void {
    this.#svm.addProgramWithLoader(bytesOf(programId), code, bytesOf(LOADER_V3));
  }

  fund(owner: Address, lamports: bigint): void {
    this.setAccount(owner, { owner: SYSTEM_PROGRAM, lamports, data: new Uint8Array() });
  }

  setAccount(at: Address, { owner, lamports, data }: Omit<ChainAccount, "data"> & Data): void {
    const made = new this.#native.Account(lamports, data, bytesOf(owner), false, 0n);
    this.#svm.setAccount(bytesOf(at), made);
  }

  account(at: Address): Promise<ChainAccount | null> {
    return Promise.resolve(this.read(at));
  }

  read(at: Address): ChainAccount | null {
    const found = this.#svm.getAccount(bytesOf(at)) as WholeAccount | null;
    if (found === null || found.lamports() === 0n) return null;
    return {
      owner: addressFromBytes(found.owner()),
      lamports: found.lamports(),
      data: Buffer.from(found.data()),
    };
  }

  /** The account as an update of this slot. */
  update(address: Address): AccountUpdate {
    const found = this.read(address);
    return { address, slot: this.slot, account: found && { ...found, slot: this.slot } };
  }

  execute(instructions: readonly Instruction[], signers: readonly Signer[]): Promise<Executed> {
    const signed = signedTransaction(instructions, signers, BLOCKHASH);
    const outcome = this.#svm.sendLegacyTransaction(Buffer.from(signed.base64, "base64"));
    if ("err" in outcome) {
      const reason = errorText(outcome.err(), outcome.meta().logs());
      return Promise.resolve({ kind: "failed", reason });
    }
    const { signature, addresses } = signed;
    this.#onExecuted({
      transaction: {
        signature,
        slot: this.slot,
        logs: outcome.logs(),
        feePayer: signers[0]?.address ?? SYSTEM_PROGRAM,
        instructions: observed(instructions, outcome, addresses),
      },
      updates: addresses.map((address) => this.update(address)),
    });
    return Promise.resolve({ kind: "done", slot: this.#slot, signature });
  }
}

type Data = { readonly data: Uint8Array };

/** The instructions in the order of execution, each with those that it called. */
function observed(
  instructions: readonly Instruction[],
  meta: NativeMeta,
  addresses: readonly Address[],
): readonly ObservedInstruction[] {
  const called = meta.innerInstructions();
  const at = (place: number): Address => addresses[place] ?? SYSTEM_PROGRAM;
  return instructions.flatMap(({ programId, accounts, data }, outerIndex) => [
    { programId, data, accounts: accounts.map(({ address }) => address) },
    ...(called[outerIndex] ?? []).map((inner) => {
      const instruction = inner.instruction();
      return {
        programId: at(instruction.programIdIndex()),
        accounts: [...instruction.accounts()].map(at),
        data: instruction.data(),
      };
    }),
  ]);
}
