import type { Address } from "#src/units/address.ts";
import { eventually } from "#test/support/eventually.ts";
import type { Executed } from "./chain.ts";
import { PROCESSED } from "./node-chain.ts";
import { type Coin, venueOf } from "./pump-instructions.ts";
import type { PumpMarket } from "./pump-market.ts";
import type { RealNode } from "./surfpool.ts";
import type { Instruction, Signer } from "./transaction.ts";

const NOTIFIED_WITHIN_MS = 10_000;

/** Trades on a node of whose changes subscribers are notified. */
export class NotifiedTrades {
  readonly node: RealNode;
  readonly #market: PumpMarket;

  constructor(node: RealNode, market: PumpMarket) {
    this.node = node;
    this.#market = market;
  }

  /** Until something subscribes to the accounts that a trade of these coins changes. */
  async subscribed(coins: readonly Coin[]): Promise<void> {
    const accounts = await this.#traded(coins);
    await eventually(
      "subscriptions to the traded accounts",
      () => (accounts.every((account) => this.node.notified.has(account)) ? true : null),
      NOTIFIED_WITHIN_MS,
    );
  }

  /** Trades, and waits until those that subscribe to the traded accounts were sent what it left in each. */
  async trade(
    coins: readonly Coin[],
    instructions: readonly Instruction[],
    signers?: readonly Signer[],
  ): Promise<Executed> {
    const { notified } = this.node;
    const accounts = (await this.#traded(coins)).filter((account) => notified.has(account));
    const before = await this.#contents(accounts);
    const sent = await this.#market.send(instructions, signers);
    if (sent.kind === "failed") return sent;
    const after = await this.#contents(accounts);
    // A sale of dust leaves a vault as it was.
    const isNotified = (account: Address, place: number): boolean =>
      after[place] === before[place] || after[place] === notified.get(account);
    await eventually(
      "notifications of a trade",
      () => (accounts.every(isNotified) ? true : null),
      NOTIFIED_WITHIN_MS,
    );
    return sent;
  }

  /** @throws where the programs refuse it */
  async must(
    coins: readonly Coin[],
    instructions: readonly Instruction[],
    signers?: readonly Signer[],
  ): Promise<void> {
    const sent = await this.trade(coins, instructions, signers);
    if (sent.kind === "failed") throw new Error(sent.reason);
  }

  /** The accounts that decide what a trade of these coins pays: a curve, or a pool and both vaults. */
  async #traded(coins: readonly Coin[]): Promise<readonly Address[]> {
    const hops = await this.#market.hops(coins);
    return hops.flatMap((hop) => {
      const { venue, baseVault, quoteVault } = venueOf(hop);
      return hop.isPool ? [venue, baseVault, quoteVault] : [venue];
    });
  }

  async #contents(accounts: readonly Address[]): Promise<readonly string[]> {
    const { value } = await this.node.call<{
      value: readonly ({ data: readonly [string, string] } | null)[];
    }>("getMultipleAccounts", [accounts, PROCESSED]);
    return value.map((account) => account?.data[0] ?? "");
  }
}
