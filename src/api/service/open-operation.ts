/** A public endpoint about the service itself: it does not count. */
export const OPEN_OPERATION = {
  method: "get",
  tag: "service",
  access: "anyone",
  isOpenToPages: true,
} as const;
