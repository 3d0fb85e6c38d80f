import assert from "node:assert/strict";
import type { AskedService } from "./asked-service.ts";
import { paidLamports } from "./node-chain.ts";
import type { NotifiedTrades } from "./notified-trades.ts";
import { TRADER } from "./pump-accounts.ts";
import type { Coin } from "./pump-instructions.ts";
import type { Instruction } from "./transaction.ts";

export type SaleCounts = {
  exact: number;
  refusedByBoth: number;
  readonly byInstruction: Map<string, number>;
};

/** Sells through the service's eyes: each sale is asked first, then executed and compared. */
export class Sales {
  readonly counts: SaleCounts = { exact: 0, refusedByBoth: 0, byInstruction: new Map() };
  readonly #trades: NotifiedTrades;
  readonly #service: AskedService;

  constructor(trades: NotifiedTrades, service: AskedService) {
    this.#trades = trades;
    this.#service = service;
  }

  /** @param coins the coin that is sold, and those of the chain that it is sold through */
  async sell(sale: {
    readonly name: string;
    readonly coins: readonly Coin[];
    readonly amountIn: bigint;
    readonly instruction: Instruction;
  }): Promise<void> {
    const { name, coins, amountIn, instruction } = sale;
    const [coin] = coins;
    assert.ok(coin !== undefined);
    const what = `${name} of ${amountIn} ${coin.mint}`;
    const answer = await this.#service.sale(coin.mint, amountIn);
    await this.#trades.subscribed(coins);
    const sent = await this.#trades.trade(coins, [instruction]);
    const { byInstruction } = this.counts;
    byInstruction.set(name, (byInstruction.get(name) ?? 0) + 1);
    const { node } = this.#trades;
    const paid =
      sent.kind === "done" ? await paidLamports(node, sent.signature, TRADER.address) : 0n;
    if (answer.net_lamports === null) {
      assert.equal(paid, 0n, `${what}: ${answer.reason}, but ${paid} lamports were paid`);
      this.counts.refusedByBoth++;
    } else {
      assert.equal(sent.kind, "done", `${what}: ${JSON.stringify(sent)}`);
      assert.equal(String(paid), answer.net_lamports, what);
      this.counts.exact++;
    }
  }
}

/** Parts of what is held, from dust to a third, always in the same order. */
export function amountsOf(held: bigint, count: number): readonly bigint[] {
  const parts = [3n, 10n, 47n, 210n, 1_900n, 31_000n, 5_000_000n, 10_000_000_000n];
  return Array.from({ length: count }, (_, place) => {
    const part = held / (parts[place % parts.length] ?? 3n) / BigInt(count);
    return part > 0n ? part : 1n;
  });
}
