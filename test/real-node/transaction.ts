import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { type Address, addressFromBytes, bytesOf } from "#src/units/address.ts";
import { base58Decode, base58Encode } from "#src/units/base58.ts";

export type AccountMeta = {
  readonly address: Address;
  readonly isSigner: boolean;
  readonly isWritable: boolean;
};

export type Instruction = {
  readonly programId: Address;
  readonly accounts: readonly AccountMeta[];
  readonly data: Uint8Array;
};

export type Signer = { readonly address: Address; readonly key: KeyObject };

/** The bytes that precede the 32 bytes of an ed25519 seed in PKCS #8. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

function signerFromSeed(seed: Uint8Array): Signer {
  const der = Buffer.concat([PKCS8_PREFIX, seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return { address: addressFromBytes(spki.subarray(-32)), key };
}

/** The same signer for the same name. */
export function namedSigner(name: string): Signer {
  return signerFromSeed(createHash("sha256").update(name).digest());
}

export type SignedTransaction = {
  readonly signature: string;
  readonly base64: string;
  /** The accounts of the message in its order. */
  readonly addresses: readonly Address[];
};

/** A legacy transaction; the first signer pays. */
export function signedTransaction(
  instructions: readonly Instruction[],
  signers: readonly Signer[],
  blockhash: string,
): SignedTransaction {
  const { message, addresses } = compile(instructions, signers, blockhash);
  const signatures = signers.map(({ key }) => sign(null, message, key));
  const bytes = Buffer.concat([compactLength(signatures.length), ...signatures, message]);
  return {
    signature: base58Encode(signatures[0] ?? new Uint8Array()),
    base64: bytes.toString("base64"),
    addresses,
  };
}

function compile(
  instructions: readonly Instruction[],
  signers: readonly Signer[],
  blockhash: string,
): { readonly message: Buffer; readonly addresses: readonly Address[] } {
  const flags = new Map<Address, { isSigner: boolean; isWritable: boolean }>();
  for (const { address } of signers) flags.set(address, { isSigner: true, isWritable: true });
  for (const { accounts, programId } of instructions) {
    for (const { address, isSigner, isWritable } of accounts) {
      const known = flags.get(address) ?? { isSigner: false, isWritable: false };
      known.isSigner ||= isSigner;
      known.isWritable ||= isWritable;
      flags.set(address, known);
    }
    if (!flags.has(programId)) flags.set(programId, { isSigner: false, isWritable: false });
  }
  const entries = [...flags];
  const ordered = [
    ...entries.filter(([, { isSigner }]) => isSigner),
    ...entries.filter(([, { isSigner, isWritable }]) => !isSigner && isWritable),
    ...entries.filter(([, { isSigner, isWritable }]) => !isSigner && !isWritable),
  ].map(([address]) => address);
  const readOnly = entries.filter(([, { isSigner, isWritable }]) => !isSigner && !isWritable);
  const place = new Map(ordered.map((address, index) => [address, index]));
  const placeOf = (address: Address): number => place.get(address) ?? 0;
  const compiled = instructions.map(({ programId, accounts, data }) =>
    Buffer.concat([
      Uint8Array.of(placeOf(programId)),
      compactLength(accounts.length),
      Uint8Array.from(accounts, ({ address }) => placeOf(address)),
      compactLength(data.length),
      data,
    ]),
  );
  const message = Buffer.concat([
    Uint8Array.of(signers.length, 0, readOnly.length),
    compactLength(ordered.length),
    ...ordered.map((address) => bytesOf(address)),
    base58Decode(blockhash) ?? new Uint8Array(32),
    compactLength(compiled.length),
    ...compiled,
  ]);
  return { message, addresses: ordered };
}

function compactLength(value: number): Uint8Array {
  return value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7);
}
