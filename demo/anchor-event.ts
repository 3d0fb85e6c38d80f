import type { Address } from "#src/units/address.ts";
import { discriminator } from "#src/venues/byte-reader.ts";
import type { TradeResult } from "./market-program.ts";

/** What a program calls itself with to leave an event among the inner instructions. */
const SELF_CALL = discriminator("e445a52e51cb9a1d");

export type EmittedEvents = Pick<
  Extract<TradeResult, { readonly kind: "done" }>,
  "logs" | "innerInstructionData"
>;

/**
 * Events that a program leaves twice, as both pump programs and LaunchLab do: as "Program data:" in
 * its logs, and as a call to itself.
 */
export function emitEvents(
  programId: Address,
  instruction: string,
  events: readonly Uint8Array[],
): EmittedEvents {
  const emitted = events.flatMap((event) => [
    `Program data: ${Buffer.from(event).toString("base64")}`,
    `Program ${programId} invoke [2]`,
    `Program ${programId} consumed 2004 of 190000 compute units`,
    `Program ${programId} success`,
  ]);
  return {
    logs: [
      `Program ${programId} invoke [1]`,
      `Program log: Instruction: ${instruction}`,
      ...emitted,
      `Program ${programId} consumed 61822 of 200000 compute units`,
      `Program ${programId} success`,
    ],
    innerInstructionData: events.map(selfCall),
  };
}

function selfCall(event: Uint8Array): Uint8Array {
  const data = new Uint8Array(SELF_CALL.length + event.length);
  data.set(SELF_CALL);
  data.set(event, SELF_CALL.length);
  return data;
}

/** Events that a program only writes into its logs, as Raydium's pools and Orca do. */
export function logEvents(
  programId: Address,
  instruction: string,
  events: readonly Uint8Array[],
): EmittedEvents {
  return {
    logs: [
      `Program ${programId} invoke [1]`,
      `Program log: Instruction: ${instruction}`,
      ...events.map((event) => `Program data: ${Buffer.from(event).toString("base64")}`),
      `Program ${programId} consumed 84117 of 200000 compute units`,
      `Program ${programId} success`,
    ],
    innerInstructionData: [],
  };
}

/** Events of a swap that a program leaves only as calls to itself, as Meteora's do (`emit_cpi!`). */
export function emitEventCalls(programId: Address, events: readonly Uint8Array[]): EmittedEvents {
  const { logs, innerInstructionData } = emitEvents(programId, "Swap2", events);
  return { logs: logs.filter((line) => !line.startsWith("Program data:")), innerInstructionData };
}
