/** The move was refused. The message states the reason and the remedy. */
export class MoveRefusedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "MoveRefusedError";
  }
}
