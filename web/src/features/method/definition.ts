/** One word of the product, in a reader's words, and exactly. */
export type Definition = {
  readonly name: string;
  readonly body: string;
  readonly formula: string;
};
