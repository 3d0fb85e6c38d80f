/** A moment in the contract's form: UTC ISO-8601 with milliseconds and `Z`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
