import { type Address, parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { UsageError } from "./output.ts";

/** The one mint in a command's arguments. @throws UsageError that names the right arguments */
export function mintArgument(positionals: readonly string[], usage: string): Address {
  const [text, ...more] = positionals;
  if (text === undefined || more.length > 0) throw new UsageError(`name one mint: ${usage}`);
  const mint = parseAddress(text);
  if (mint === null) {
    throw new UsageError(`"${text}" is not a Solana address: a mint is 32 bytes in base58`);
  }
  if (mint === WSOL) {
    throw new UsageError(`${text} is SOL itself, the currency of every exit: name a token`);
  }
  return mint;
}
