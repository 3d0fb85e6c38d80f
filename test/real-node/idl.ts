import { readFileSync } from "node:fs";
import { type Address, address, addressBytes, addressFromBytes } from "#src/units/address.ts";
import { findProgramAddress, type Seed } from "#src/units/program-address.ts";
import type { AccountMeta, Instruction } from "./transaction.ts";

type IdlSeed =
  | { readonly kind: "const"; readonly value: readonly number[] }
  | { readonly kind: "account" | "arg"; readonly path: string };

type IdlAccount = {
  readonly name: string;
  readonly writable?: boolean;
  readonly signer?: boolean;
  readonly address?: string;
  readonly pda?: { readonly seeds: readonly IdlSeed[]; readonly program?: IdlSeed };
};

type IdlType = string | { readonly defined: { readonly name: string } };

type IdlInstruction = {
  readonly name: string;
  readonly discriminator: readonly number[];
  readonly accounts: readonly IdlAccount[];
  readonly args: readonly { readonly name: string; readonly type: IdlType }[];
};

type Idl = { readonly address: string; readonly instructions: readonly IdlInstruction[] };

export type Accounts = Readonly<Record<string, Address>>;
export type ArgumentValue = bigint | boolean | string;

/** A program by its IDL: builds instructions, with the accounts that can be derived filled in. */
export class IdlProgram {
  readonly programId: Address;
  readonly #idl: Idl;

  constructor(path: string) {
    this.#idl = JSON.parse(readFileSync(path, "utf8"));
    this.programId = address(this.#idl.address);
  }

  /**
   * @param accounts those that the IDL does not derive, by name; also `account.field` for seeds that
   *   are read from an account
   * @param remaining accounts behind those that the IDL names
   */
  instruction(
    name: string,
    given: {
      readonly accounts: Accounts;
      readonly args: readonly ArgumentValue[];
      readonly remaining?: readonly AccountMeta[];
      readonly writable?: readonly string[];
    },
  ): Instruction {
    const found = this.#idl.instructions.find((instruction) => instruction.name === name);
    if (found === undefined) throw new Error(`no instruction ${name}`);
    const metas = found.accounts.map(
      (account): AccountMeta => ({
        address: this.#resolve(found, account.name, given.accounts),
        isSigner: account.signer === true,
        isWritable: account.writable === true || given.writable?.includes(account.name) === true,
      }),
    );
    const data = found.args.map(({ type }, place) => encode(type, given.args[place]));
    return {
      programId: this.programId,
      accounts: [...metas, ...(given.remaining ?? [])],
      data: Buffer.concat([Uint8Array.from(found.discriminator), ...data]),
    };
  }

  #resolve(instruction: IdlInstruction, path: string, given: Accounts): Address {
    const known = given[path];
    if (known !== undefined) return known;
    const account = instruction.accounts.find(({ name }) => name === path);
    if (account?.address !== undefined) return address(account.address);
    if (account?.pda !== undefined) {
      const resolve = (name: string) => this.#resolve(instruction, name, given);
      const { seeds, program } = account.pda;
      const programId = program === undefined ? this.programId : programOf(program, resolve);
      return findProgramAddress(
        seeds.map(
          (seed): Seed =>
            seed.kind === "const" ? Uint8Array.from(seed.value) : { address: resolve(seed.path) },
        ),
        programId,
      );
    }
    if (path === "program") return this.programId;
    throw new Error(`${instruction.name}: account ${path} is not given`);
  }
}

function programOf(program: IdlSeed, resolve: (name: string) => Address): Address {
  return program.kind === "const"
    ? addressFromBytes(Uint8Array.from(program.value))
    : resolve(program.path);
}

/** The types that the instructions used here have; OptionBool and OptionU64 are structs of one field. */
function encode(type: IdlType, value: ArgumentValue | undefined): Uint8Array {
  const kind = typeof type === "string" ? type : type.defined.name;
  switch (kind) {
    case "u64":
    case "OptionU64": {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(value ?? 0n));
      return bytes;
    }
    case "u8":
      return Uint8Array.of(Number(value));
    case "bool":
    case "OptionBool":
      return Uint8Array.of(value === true ? 1 : 0);
    case "pubkey":
      return addressBytes(String(value)) ?? new Uint8Array(32);
    case "string": {
      const text = Buffer.from(String(value), "utf8");
      const length = Buffer.alloc(4);
      length.writeUInt32LE(text.length);
      return Buffer.concat([length, text]);
    }
    default:
      throw new Error(`arguments of type ${kind} are not encoded`);
  }
}
