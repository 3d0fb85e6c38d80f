import { parseArgs } from "node:util";
import type { Profile } from "#src/measure/assessment.ts";
import { SIZE_RANGE_TEXT } from "#src/measure/questions/requested-size.ts";
import type { Address } from "#src/units/address.ts";
import { mintArgument } from "./mint-argument.ts";
import { UsageError } from "./output.ts";

export type SaleArguments<Size> = {
  readonly mint: Address;
  readonly size: Size;
  readonly profile: Profile;
  readonly isJson: boolean;
};

/** `MINT [--size SOL] [--profile retail|pro] [--json]`. @throws UsageError that names the right arguments */
export function saleArguments<Size>(
  args: readonly string[],
  usage: string,
  parseSize: (text: string) => Size | null,
): SaleArguments<Size> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      size: { type: "string", default: "1" },
      profile: { type: "string", default: "retail" },
      json: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const size = parseSize(values.size);
  if (size === null) throw new UsageError(`--size must be ${SIZE_RANGE_TEXT}`);
  const { profile } = values;
  if (profile !== "retail" && profile !== "pro") {
    throw new UsageError("--profile must be retail or pro");
  }
  return { mint: mintArgument(positionals, usage), size, profile, isJson: values.json };
}
