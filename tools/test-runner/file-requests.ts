/** What the runner answers to a process that asks for a file when none is left. */
export const NO_FILE = "";
