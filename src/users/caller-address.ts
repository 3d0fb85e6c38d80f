import ipaddr from "ipaddr.js";

const IPV6_NETWORK_BITS = 64;
const IPV6_NETWORK_PARTS = IPV6_NETWORK_BITS / 16;

/**
 * The form in which an address is counted: a whole IPv4 address, the /64 of an IPv6 address (one
 * caller controls all of it), and IPv4 for IPv4-mapped IPv6. All invalid texts count as one caller.
 */
export function countedAddress(written: string): string {
  const address = withoutPort(written);
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, IPV6_NETWORK_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/${IPV6_NETWORK_BITS}`;
}

/** Some proxies write `203.0.113.9:4444` or `[2001:db8::1]:4444` into X-Forwarded-For. */
function withoutPort(address: string): string {
  const [, ipv6, ipv4] =
    /^(?:\[([\da-fA-F:.%]+)\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/** This machine, or all clients of a proxy that TRUST_PROXY does not count. */
export function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}
