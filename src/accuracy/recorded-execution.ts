import { type Address, parseAddress } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { type Clock, VENUE_IDS, type VenueId } from "#src/venues/venue.ts";

/** One swap as the program itself executed it (design.md section 5). */
export type RecordedExecution = {
  readonly venue: VenueId;
  readonly pool: Address;
  readonly inputMint: Address;
  readonly outputMint: Address;
  /** What the trader handed over, base units. */
  readonly amountIn: bigint;
  /** What the trader got after every fee; null: the program refused. */
  readonly amountOut: bigint | null;
  /** `amountOut` is the output as the program's event counts it, where that is not what the trader got. */
  readonly isTold: boolean;
  readonly clock: Clock;
  readonly accounts: AccountSet;
};

export type RecordedLine =
  | {
      readonly kind: "execution";
      readonly execution: RecordedExecution;
      /** Of the code that executed it; null where the line does not know. */
      readonly deployedSlot: bigint | null;
    }
  | { readonly kind: "set" }
  | { readonly kind: "unreadable"; readonly reason: string };

type JsonObject = Readonly<Record<string, unknown>>;

/** A line is not in the form of design.md section 5. The message says which field is wrong. */
class LineError extends Error {}

/** Reads the lines of one file in order; a `set` line names accounts for the lines after it. */
export class RecordedExecutionReader {
  readonly #sets = new Map<string, AccountSet>();

  read(line: string): RecordedLine {
    try {
      const value = jsonObject(JSON.parse(line), "the line");
      if (!("venue" in value)) {
        this.#sets.set(text(value, "set"), accountSet(value.accounts));
        return { kind: "set" };
      }
      const { deployedSlot = null } = value;
      return {
        kind: "execution",
        execution: this.#execution(value),
        deployedSlot: deployedSlot === null ? null : integer(value, "deployedSlot"),
      };
    } catch (error) {
      if (error instanceof LineError) return { kind: "unreadable", reason: error.message };
      if (error instanceof SyntaxError) return { kind: "unreadable", reason: "not JSON" };
      throw error;
    }
  }

  #execution(value: JsonObject): RecordedExecution {
    return {
      venue: venueId(value.venue),
      pool: addressField(value, "pool"),
      inputMint: addressField(value, "inputMint"),
      outputMint: addressField(value, "outputMint"),
      amountIn: integer(value, "amountIn"),
      amountOut: value.amountOut === null ? null : integer(value, "amountOut"),
      isTold: value["told"] === true,
      clock: {
        slot: integer(value, "slot"),
        unixTimestamp: integer(value, "unixTimestamp"),
        epoch: value.epoch === undefined ? 0n : integer(value, "epoch"),
      },
      accounts: this.#accounts(value),
    };
  }

  #accounts(value: JsonObject): AccountSet {
    if (value.accounts !== undefined) return accountSet(value.accounts);
    const name = text(value, "set");
    const found = this.#sets.get(name);
    if (found === undefined) throw new LineError(`no earlier line defines set ${name}`);
    return found;
  }
}

/** A case in the form that `RecordedExecutionReader` reads, accounts inline. */
export function writeRecordedExecution(
  execution: Omit<RecordedExecution, "accounts">,
  accounts: ReadonlyMap<Address, Account | null>,
): string {
  const { venue, pool, inputMint, outputMint, amountIn, amountOut, isTold, clock } = execution;
  return JSON.stringify({
    venue,
    pool,
    inputMint,
    outputMint,
    amountIn: String(amountIn),
    amountOut: amountOut === null ? null : String(amountOut),
    ...(isTold ? { told: true } : {}),
    slot: toNumber(clock.slot),
    unixTimestamp: toNumber(clock.unixTimestamp),
    epoch: toNumber(clock.epoch),
    accounts: Object.fromEntries(
      [...accounts].map(([address, account]) => [
        address,
        account && {
          owner: account.owner,
          lamports: String(account.lamports),
          data: Buffer.from(account.data).toString("base64"),
        },
      ]),
    ),
  });
}

function accountSet(value: unknown): AccountSet {
  const accounts = new Map<Address, Account | null>();
  for (const [name, entry] of Object.entries(jsonObject(value, "accounts"))) {
    const address = parseAddress(name);
    if (address === null) throw new LineError(`accounts: ${name} is no address`);
    accounts.set(address, entry === null ? null : account(jsonObject(entry, `account ${name}`)));
  }
  return accounts;
}

/** Null where the account did not exist: an entry of null, or one without an owner. */
function account(value: JsonObject): Account | null {
  if (value["owner"] === null) return null;
  return {
    owner: addressField(value, "owner"),
    lamports: integer(value, "lamports"),
    data: new Uint8Array(Buffer.from(text(value, "data"), "base64")),
    slot: 0n,
  };
}

function jsonObject(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new LineError(`${what} is no object`);
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: JsonObject, field: string): string {
  const found = value[field];
  if (typeof found === "string") return found;
  throw new LineError(`${field} is no text`);
}

function addressField(value: JsonObject, field: string): Address {
  const parsed = parseAddress(text(value, field));
  if (parsed === null) throw new LineError(`${field} is no address`);
  return parsed;
}

function integer(value: JsonObject, field: string): bigint {
  const found = value[field];
  if (typeof found === "number" && Number.isSafeInteger(found)) return BigInt(found);
  if (typeof found === "string" && /^-?\d{1,40}$/.test(found)) return BigInt(found);
  throw new LineError(`${field} is no integer`);
}

function venueId(value: unknown): VenueId {
  const found = VENUE_IDS.find((id) => id === value);
  if (found === undefined) throw new LineError(`venue ${String(value)} is none of ours`);
  return found;
}
