/** Whether requests are taken: asked by every request, told by whoever closes the service. */
export class Admission {
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** From now on what is new is refused; what is under way goes on. */
  stop(): void {
    this.#isStopping = true;
  }
}
