// Loaded into a service by `--import`: from SIGUSR2 on, its system clock is an hour behind.

const HOUR_MS = 3_600_000;
const nowMs = Date.now;

process.on("SIGUSR2", () => {
  Date.now = () => nowMs() - HOUR_MS;
});
