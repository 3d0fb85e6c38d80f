import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

// Sends requests without pause until the expected answer arrives, and reports the time.

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const { url } = workerData as { readonly url: string };

type Awaited = { readonly depthSol: number; readonly arrivedMs: number };
let awaited: Awaited | null = null;

parentPort?.on("message", (message: Awaited) => {
  const isIdle = awaited === null;
  awaited = message;
  if (isIdle) ask();
});

function ask(): void {
  get(url, { agent }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => judge(text));
  });
}

function judge(text: string): void {
  if (awaited === null) return;
  const { depth_sol: depthSol } = JSON.parse(text);
  if (depthSol !== null && Math.abs(depthSol - awaited.depthSol) < 1e-6) {
    parentPort?.postMessage(performance.timeOrigin + performance.now() - awaited.arrivedMs);
    awaited = null;
    return;
  }
  ask();
}
