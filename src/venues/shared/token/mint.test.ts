import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Address, addressFromBytes, bytesOf } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "#src/units/known-addresses.ts";
import type { Account } from "../../account-set.ts";
import { decodeMint } from "./mint.ts";

type Extension = { readonly type: number; readonly body: Uint8Array };

const [MINTER, FREEZER, OWNER, HOOK, DELEGATE] = [1, 2, 3, 4, 5].map((byte) =>
  addressFromBytes(new Uint8Array(32).fill(byte)),
) as [Address, Address, Address, Address, Address];

/** The fields' bytes one after the other; null: an address of zeros. */
function fieldsOf(...fields: readonly (Address | null | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap((field) => {
      if (field === null) return [...new Uint8Array(32)];
      return [...(typeof field === "string" ? bytesOf(field) : field)];
    }),
  );
}

function littleEndian(value: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

/** A mint of 7 million base units, 2 decimals, as the token programs write it. */
function mint(change: {
  readonly minter?: Address | null;
  readonly freezer?: Address | null;
  readonly extensions?: readonly Extension[];
}): Account {
  const { minter = null, freezer = null, extensions } = change;
  const optional = (address: Address | null) =>
    fieldsOf(littleEndian(address === null ? 0n : 1n, 4), address);
  const base = fieldsOf(
    optional(minter),
    littleEndian(7_000_000n, 8),
    Uint8Array.of(2, 1),
    optional(freezer),
  );
  if (extensions === undefined) {
    return { owner: TOKEN_PROGRAM, lamports: 1n, data: base, slot: 1n };
  }
  const data = fieldsOf(
    base,
    new Uint8Array(165 - base.length),
    Uint8Array.of(1),
    ...extensions.map(({ type, body }) =>
      fieldsOf(littleEndian(BigInt(type), 2), littleEndian(BigInt(body.length), 2), body),
    ),
  );
  return { owner: TOKEN_2022_PROGRAM, lamports: 1n, data, slot: 1n };
}

const fee = (epoch: bigint, maximum: bigint, bps: bigint): Uint8Array =>
  fieldsOf(littleEndian(epoch, 8), littleEndian(maximum, 8), littleEndian(bps, 2));

test("a plain mint has its supply, decimals and both authorities, and has nothing else", () => {
  assert.deepEqual(decodeMint(mint({ minter: MINTER, freezer: FREEZER })), {
    supply: 7_000_000n,
    decimals: 2,
    mintAuthority: MINTER,
    freezeAuthority: FREEZER,
    transferFee: null,
    transferFeeAuthority: null,
    transferHook: null,
    transferHookAuthority: null,
    permanentDelegate: null,
    isNonTransferable: false,
    startsFrozen: false,
    pausable: null,
    metadata: null,
  });
  const given = decodeMint(mint({}));
  assert.deepEqual([given?.mintAuthority, given?.freezeAuthority], [null, null]);
});

test("each extension that affects selling is read, with its authority", () => {
  const decoded = decodeMint(
    mint({
      extensions: [
        {
          type: 1,
          body: fieldsOf(OWNER, null, littleEndian(9n, 8), fee(3n, 50n, 100n), fee(8n, 60n, 250n)),
        },
        { type: 6, body: Uint8Array.of(2) },
        { type: 9, body: new Uint8Array() },
        { type: 12, body: fieldsOf(DELEGATE) },
        { type: 14, body: fieldsOf(OWNER, HOOK) },
        { type: 26, body: fieldsOf(OWNER, Uint8Array.of(1)) },
      ],
    }),
  );
  assert.deepEqual(decoded?.transferFee, {
    older: { epoch: 3n, maximum: 50n, feeBps: 100 },
    newer: { epoch: 8n, maximum: 60n, feeBps: 250 },
  });
  assert.equal(decoded.transferFeeAuthority, OWNER);
  assert.equal(decoded.startsFrozen, true);
  assert.equal(decoded.isNonTransferable, true);
  assert.equal(decoded.permanentDelegate, DELEGATE);
  assert.deepEqual([decoded.transferHook, decoded.transferHookAuthority], [HOOK, OWNER]);
  assert.deepEqual(decoded.pausable, { isPaused: true, authority: OWNER });
});

test("an extension whose powers were given up has no authority", () => {
  const decoded = decodeMint(
    mint({
      extensions: [
        { type: 12, body: fieldsOf(null) },
        { type: 14, body: fieldsOf(OWNER, null) },
        { type: 26, body: fieldsOf(null, Uint8Array.of(0)) },
      ],
    }),
  );
  assert.equal(decoded?.permanentDelegate, null);
  assert.deepEqual([decoded.transferHook, decoded.transferHookAuthority], [null, OWNER]);
  assert.deepEqual(decoded.pausable, { isPaused: false, authority: null });
});

test("a mint whose extensions are cut off is unknown, not one without extensions", () => {
  const whole = mint({ extensions: [{ type: 14, body: fieldsOf(OWNER, HOOK) }] });
  for (let length = 171; length < whole.data.length; length++) {
    assert.equal(decodeMint({ ...whole, data: whole.data.subarray(0, length) }), null);
  }
  assert.equal(decodeMint(mint({ extensions: [{ type: 12, body: new Uint8Array(31) }] })), null);
});

test("a transfer fee above the whole amount is none that the program writes: the mint is unknown", () => {
  const withRates = (older: bigint, newer: bigint) =>
    decodeMint(
      mint({
        extensions: [
          {
            type: 1,
            body: fieldsOf(OWNER, null, new Uint8Array(8), fee(3n, 9n, older), fee(8n, 9n, newer)),
          },
        ],
      }),
    );
  assert.equal(withRates(10_000n, 10_000n)?.transferFee?.newer.feeBps, 10_000);
  assert.equal(withRates(10_001n, 0n), null);
  assert.equal(withRates(0n, 65_535n), null);
});

test("any bytes behind a mint's extensions is read or refused, never thrown at", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (garbage) => {
      const whole = mint({ extensions: [] });
      decodeMint({ ...whole, data: fieldsOf(whole.data, garbage) });
    }),
  );
});
