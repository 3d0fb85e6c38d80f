import type { Address } from "#src/units/address.ts";
import type { NodeRefusal } from "../chain-source.ts";
import type { SearchMemory } from "../search-memory.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";
import type { ByEndpoint, Endpoint } from "./rpc-endpoint.ts";

export type Memories = ByEndpoint<SearchMemory>;

/** The endpoints that refuse to search the program now; null: that refuse the whole method. */
export function refusing(memories: Memories, programId: Address | null): Set<Endpoint> {
  return memories.where((memory) => memory.refusalOf(programId) !== null);
}

/**
 * What is refused now: another endpoint is asked for what one refuses, if it answers. A method that is refused as a
 * whole is listed once.
 */
export function refusalsOf(
  client: Pick<JsonRpcClient, "inUse">,
  memories: Memories,
): readonly NodeRefusal[] {
  const listed = memories.all().flatMap((memory) => memory.list());
  const byProgram = new Map(listed.map((refusal) => [refusal.programId, refusal]));
  const refused = [...byProgram.values()].flatMap(({ method, programId }) => {
    const asked = client.inUse(refusing(memories, programId));
    const reason = memories.of(asked).refusalOf(programId);
    return reason === null ? [] : [{ method, programId, reason }];
  });
  const whole = refused.find(({ programId }) => programId === null);
  return whole === undefined ? refused : [whole];
}
