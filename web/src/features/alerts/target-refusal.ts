import type { ChannelKind } from "../../lib/channels.ts";

export type TargetRefusal = "url" | "https" | "user" | "host" | "chat";

/** Why the service refused a channel's target, by its own rules; null for kinds that have other codes. */
export function targetRefusal(kind: ChannelKind, target: string): TargetRefusal | null {
  if (kind === "telegram") return "chat";
  if (kind !== "webhook") return null;
  if (!URL.canParse(target)) return "url";
  const { protocol, username, password } = new URL(target);
  if (protocol !== "https:" && protocol !== "http:") return "https";
  if (username !== "" || password !== "") return "user";
  return protocol === "http:" ? "https" : "host";
}
