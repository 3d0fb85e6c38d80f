import { parentPort, workerData } from "node:worker_threads";

/** What the thread asks for, each time as another caller, and where it counts the answers with status 200. */
export type AskingPlan = { readonly url: string; readonly answered: Int32Array };

const { url, answered } = workerData as AskingPlan;
for (let caller = 0; parentPort !== null; caller++) {
  const from = `10.9.${(caller >> 8) & 255}.${caller & 255}`;
  const response = await fetch(url, { headers: { "x-forwarded-for": from } });
  await response.arrayBuffer();
  if (response.status !== 200) continue;
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
}
