import { isJsonObject, type JsonObject } from "#src/platform/json-object.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { VENUES } from "#src/venues/all.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import type { SaleHop } from "#src/venues/venue-sale.ts";

/** One swap as the program itself executed it (design.md section 5). */
export type RecordedExecution = {
  readonly venue: VenueId;
  /** The hops of one instruction that sold through several pools; `pool` is then the first of them. */
  readonly route?: readonly SaleHop[];
  readonly pool: Address;
  readonly inputMint: Address;
  readonly outputMint: Address;
  /** Base units that the trader paid. */
  readonly amountIn: bigint;
  /** Base units that the trader received after every fee; null: the program refused. */
  readonly amountOut: bigint | null;
  /** `amountOut` is the output in the program's event, which differs from what the trader received. */
  readonly isReportedOutput: boolean;
  readonly clock: Clock;
  readonly accounts: AccountSet;
};

export type RecordedLine =
  | {
      readonly kind: "execution";
      readonly execution: RecordedExecution;
      /** The deployed slot of the code that executed it; null if the line has none. */
      readonly deployedSlot: bigint | null;
      /** The build of the program that executed it; null if the line names none. */
      readonly executedBy: string | null;
    }
  | { readonly kind: "set" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** The line does not have the format of design.md section 5. The message names the wrong field. */
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
      const { deployedSlot = null, executedBy = null } = value;
      return {
        kind: "execution",
        execution: this.#execution(value),
        deployedSlot: deployedSlot === null ? null : integer(value, "deployedSlot"),
        executedBy: executedBy === null ? null : text(value, "executedBy"),
      };
    } catch (error) {
      if (error instanceof LineError) return { kind: "unreadable", reason: error.message };
      if (error instanceof SyntaxError) return { kind: "unreadable", reason: "not JSON" };
      throw error;
    }
  }

  #execution(value: JsonObject): RecordedExecution {
    const route = value.route === undefined ? null : hops(value.route);
    return {
      ...(route === null
        ? { venue: venueId(value.venue), pool: addressField(value, "pool") }
        : { venue: routeName(value), pool: route[0].pool, route }),
      inputMint: addressField(value, "inputMint"),
      outputMint: addressField(value, "outputMint"),
      amountIn: integer(value, "amountIn"),
      amountOut: value.amountOut === null ? null : integer(value, "amountOut"),
      isReportedOutput: value["told"] === true,
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

/** Formats an execution for `RecordedExecutionReader`, with its accounts inline. */
export function writeRecordedExecution(
  execution: Omit<RecordedExecution, "accounts">,
  accounts: ReadonlyMap<Address, Account | null>,
): string {
  const { venue, pool, inputMint, outputMint, amountIn, amountOut, isReportedOutput, clock } =
    execution;
  return JSON.stringify({
    venue,
    ...(execution.route === undefined ? { pool } : { route: execution.route }),
    inputMint,
    outputMint,
    amountIn: String(amountIn),
    amountOut: amountOut === null ? null : String(amountOut),
    ...(isReportedOutput ? { told: true } : {}),
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

function hops(value: unknown): readonly [SaleHop, ...SaleHop[]] {
  if (!Array.isArray(value)) throw new LineError("route is not a list");
  const [first, ...rest] = value.map((entry): SaleHop => {
    const hop = jsonObject(entry, "a hop of route");
    return {
      venue: venueId(hop.venue),
      pool: addressField(hop, "pool"),
      inputMint: addressField(hop, "inputMint"),
      outputMint: addressField(hop, "outputMint"),
    };
  });
  if (first === undefined) throw new LineError("route is empty");
  return [first, ...rest];
}

/** The name under which the executions of a route are counted; no single venue executed them. */
function routeName(value: JsonObject): string {
  return text(value, "venue");
}

function accountSet(value: unknown): AccountSet {
  const accounts = new Map<Address, Account | null>();
  for (const [name, entry] of Object.entries(jsonObject(value, "accounts"))) {
    const address = parseAddress(name);
    if (address === null) throw new LineError(`accounts: ${name} is not an address`);
    accounts.set(address, entry === null ? null : account(jsonObject(entry, `account ${name}`)));
  }
  return accounts;
}

/** Null if the account did not exist: an entry of null, or one without an owner. */
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
  throw new LineError(`${what} is not an object`);
}

function text(value: JsonObject, field: string): string {
  const found = value[field];
  if (typeof found === "string") return found;
  throw new LineError(`${field} is not a text`);
}

function addressField(value: JsonObject, field: string): Address {
  const parsed = parseAddress(text(value, field));
  if (parsed === null) throw new LineError(`${field} is not an address`);
  return parsed;
}

function integer(value: JsonObject, field: string): bigint {
  const found = value[field];
  if (typeof found === "number" && Number.isSafeInteger(found)) return BigInt(found);
  if (typeof found === "string" && /^-?\d{1,40}$/.test(found)) return BigInt(found);
  throw new LineError(`${field} is not an integer`);
}

function venueId(value: unknown): VenueId {
  const found = VENUES.find(({ id }) => id === value);
  if (found === undefined) throw new LineError(`venue ${String(value)} is none of ours`);
  return found.id;
}
