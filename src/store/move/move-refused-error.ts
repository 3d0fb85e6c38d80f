/** Nothing was done, or no more than before: the message says why, and what would change that. */
export class MoveRefusedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "MoveRefusedError";
  }
}
