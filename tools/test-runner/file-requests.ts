/** The runner's reply to a process that requests a file when none is left. */
export const NO_FILE = "";
