/** Which way a concentrated pool's price goes as an order is filled: down where token 0 or A is sold. */
export type Direction = "down" | "up";

export const DIRECTIONS: readonly Direction[] = ["down", "up"];
