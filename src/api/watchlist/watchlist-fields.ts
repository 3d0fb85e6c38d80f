import Type from "typebox";
import {
  SIZE_RANGE_SOL,
  SIZE_RANGE_TEXT,
  sizeToLamports,
} from "#src/measure/questions/requested-size.ts";
import { AppError } from "#src/platform/app-error.ts";
import { readAs } from "../values.ts";

/** A size in SOL as lamports, rounded to the lamport. */
export const SizeSolField = readAs(
  Type.Number({ ...SIZE_RANGE_SOL }),
  (value) => (typeof value === "number" ? sizeToLamports(value) : null),
  `size_sol must be ${SIZE_RANGE_TEXT}.`,
);

/** Another user's entry is answered like an unknown one. */
export function noEntry(): AppError {
  return new AppError("not_found", { publicMessage: "Your watchlist has no such entry." });
}
