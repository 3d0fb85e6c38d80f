import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "../account-set.ts";
import type { ByteReader } from "../byte-reader.ts";
import { readOwn } from "../shared/own-account.ts";
import { DBC_PROGRAM, POOL_CONFIG, VIRTUAL_POOL } from "./layout.ts";

/** A curve's fields, and whether it is of the kind whose base mint has a transfer hook. */
export type Layout = { readonly reader: ByteReader; readonly hasTransferHook: boolean };

/** Fields of a curve of either kind, or null where the account is none of this program. */
export function readPool(account: Account | null | undefined): Layout | null {
  const reader = readOwn(account, { programId: DBC_PROGRAM, length: VIRTUAL_POOL.length });
  if (reader === null) return null;
  if (reader.has(0, VIRTUAL_POOL.discriminator)) return { reader, hasTransferHook: false };
  const isHookPool = reader.has(0, VIRTUAL_POOL.transferHookDiscriminator);
  return isHookPool ? { reader, hasTransferHook: true } : null;
}

/** Fields of a config of either kind, or null where the account is none of this program. */
export function readConfig(account: Account | null | undefined): ByteReader | null {
  const reader = readOwn(account, { programId: DBC_PROGRAM });
  if (reader === null) return null;
  const isPlain = reader.length === POOL_CONFIG.length && reader.has(0, POOL_CONFIG.discriminator);
  const isWithHook =
    reader.length === POOL_CONFIG.transferHookLength &&
    reader.has(0, POOL_CONFIG.transferHookDiscriminator);
  return isPlain || isWithHook ? reader : null;
}

/** Addresses that a quote needs, as far as the loaded accounts determine them. See `Venue.accountsNeeded`. */
export function accountsNeeded(address: Address, known: AccountSet): readonly Address[] {
  const pool = readPool(known.get(address))?.reader;
  if (pool === undefined) return [address];
  const configAddress = pool.address(VIRTUAL_POOL.config);
  const config = readConfig(known.get(configAddress));
  return [
    address,
    configAddress,
    pool.address(VIRTUAL_POOL.baseMint),
    pool.address(VIRTUAL_POOL.baseVault),
    pool.address(VIRTUAL_POOL.quoteVault),
    ...(config === null ? [] : [config.address(POOL_CONFIG.quoteMint)]),
  ];
}
