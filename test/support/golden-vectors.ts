import { readFileSync, writeFileSync } from "node:fs";

/** One pool in its test builder's words, and what official code pays there; null: refused. */
export type GoldenVector<Pool> = {
  readonly name: string;
  readonly pool: Pool;
  readonly orders: readonly {
    readonly sells: "base" | "quote";
    readonly amountIn: bigint;
    readonly amountOut: bigint | null;
  }[];
};

/** JSON in which a text like "12n" stands for an integer of any width. */
export function readVectors<Pool>(file: URL): readonly GoldenVector<Pool>[] {
  return JSON.parse(readFileSync(file, "utf8"), (_, value) =>
    typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  );
}

export function writeVectors<Pool>(file: URL, vectors: readonly GoldenVector<Pool>[]): void {
  const text = JSON.stringify(
    vectors,
    (_, value) => (typeof value === "bigint" ? `${value}n` : value),
    1,
  );
  writeFileSync(file, `${text}\n`);
}
