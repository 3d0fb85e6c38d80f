// Whether the service in this container lives: the image's HEALTHCHECK. Ends with 0 or 1.
const { PORT } = process.env;

try {
  const response = await fetch(`http://127.0.0.1:${PORT}/healthz`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.error(String(error.cause ?? error));
  process.exitCode = 1;
}
