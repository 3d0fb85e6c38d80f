import ipaddr from "ipaddr.js";

const IPV6_NETWORK_BITS = 64;
const IPV6_NETWORK_PARTS = IPV6_NETWORK_BITS / 16;

/**
 * The form in which an address is counted: a whole IPv4 address, the /64 of an IPv6 address (one
 * caller controls all of it), and IPv4 for IPv4-mapped IPv6. All invalid texts count as one caller.
 */
export function countedAddress(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, IPV6_NETWORK_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/${IPV6_NETWORK_BITS}`;
}

/**
 * The client address as seen by the outermost trusted proxy: from the socket, each of `trustedHops`
 * steps goes one entry to the left in X-Forwarded-For. Entries further left are set by the client and
 * are not trusted.
 */
export function clientAddress(input: {
  readonly socketAddress: string;
  readonly forwardedFor: string | undefined;
  readonly trustedHops: number;
}): string {
  if (input.trustedHops === 0 || input.forwardedFor === undefined) return input.socketAddress;
  const hops = [...input.forwardedFor.split(",").map((hop) => hop.trim()), input.socketAddress];
  return hops[Math.max(0, hops.length - 1 - input.trustedHops)] ?? input.socketAddress;
}
