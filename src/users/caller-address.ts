import ipaddr from "ipaddr.js";

const IPV6_NETWORK_BITS = 64;
const IPV6_NETWORK_PARTS = IPV6_NETWORK_BITS / 16;

/**
 * The form in which an address is counted: IPv4 whole, IPv6 by its /64 (a caller commands all of
 * it), IPv4-mapped IPv6 as the IPv4 it stands for. What is no address is counted as one caller.
 */
export function countedAddress(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, IPV6_NETWORK_PARTS).map((part) => part.toString(16));
  return `${network.join(":")}::/${IPV6_NETWORK_BITS}`;
}

/**
 * The address that the outermost of the believed proxies saw: each of `trustedHops` steps goes one
 * entry to the left in X-Forwarded-For, beginning at the socket. Entries further left were written
 * by whoever asks, and are never believed.
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
