import ipaddr from "ipaddr.js";

/** Which addresses webhooks may be sent to, besides the public ones. */
export type AllowedRanges = readonly (readonly [ipaddr.IPv4 | ipaddr.IPv6, number])[];

/** @throws Error for a text that is not an address or CIDR range */
export function parseRanges(texts: readonly string[]): AllowedRanges {
  return texts.map((text) => {
    if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
    // Not isValid: it reads 10.1 as 10.0.0.1.
    if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text))
      throw new Error(`"${text}" is not an address range such as 10.0.0.0/8`);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  });
}

/**
 * What a webhook may reach at an address: `public`, `opened` by the operator's ranges, or `closed`.
 * Closed is whatever is not a public host's: private, loopback, link-local (and so the metadata of
 * clouds), shared, reserved, multicast, and every IPv6 form that hides an IPv4 address. An
 * IPv4-mapped address is judged as the IPv4 address that it is.
 */
export function reachOf(text: string, allowed: AllowedRanges): "public" | "opened" | "closed" {
  if (!ipaddr.isValid(text)) return "closed";
  const address = ipaddr.process(text);
  const isOpened = allowed.some(
    ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
  );
  if (isOpened) return "opened";
  if (address.range() !== "unicast") return "closed";
  return address instanceof ipaddr.IPv4 || isGlobalUnicast(address) ? "public" : "closed";
}

/** 2000::/3 is all that was ever given to hosts; the rest of IPv6 has no public ones. */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}
