import { writeFileSync } from "node:fs";
import { readIntegerJson } from "./integer-json.ts";

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

export function readVectors<Pool>(file: URL): readonly GoldenVector<Pool>[] {
  return readIntegerJson(file);
}

export function writeVectors<Pool>(file: URL, vectors: readonly GoldenVector<Pool>[]): void {
  const text = JSON.stringify(
    vectors,
    (_, value) => (typeof value === "bigint" ? `${value}n` : value),
    1,
  );
  writeFileSync(file, `${text}\n`);
}
