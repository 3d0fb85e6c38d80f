import { Agent, request } from "node:http";

export type RegisterTiming = {
  readonly calls: number;
  /** How well a response's time separates known from unknown addresses: 0.5 is not at all. */
  readonly areaUnderCurve: number;
  readonly medianKnownMs: number;
  readonly medianUnknownMs: number;
};

/**
 * Registers known and unknown addresses in random order, one after the other over one connection,
 * each call from an address of its own (the server has to trust one proxy), and compares the times.
 */
export async function timeRegister(input: {
  readonly url: string;
  /** Addresses that have an account. */
  readonly known: readonly string[];
  readonly calls: number;
  readonly random: () => number;
}): Promise<RegisterTiming> {
  const { url, known, calls, random } = input;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = { known: [] as number[], unknown: [] as number[] };
  const run = Math.floor(random() * 1e9).toString(36);
  try {
    for (let call = 0; call < calls; call++) {
      const isKnown = random() < 0.5;
      const fresh = `new${String(call).padStart(6, "0")}${run}@example.com`;
      const old = known[Math.floor(random() * known.length)] ?? fresh;
      const body = JSON.stringify({ email: isKnown ? old : fresh });
      const address = `10.${call >> 16}.${(call >> 8) & 255}.${call & 255}`;
      const beganMs = performance.now();
      await post(`${url}/api/oracle/register`, { agent, body, address });
      times[isKnown ? "known" : "unknown"].push(performance.now() - beganMs);
    }
  } finally {
    agent.destroy();
  }
  return {
    calls,
    areaUnderCurve: areaUnderCurve(times.known, times.unknown),
    medianKnownMs: median(times.known),
    medianUnknownMs: median(times.unknown),
  };
}

function post(
  url: string,
  {
    agent,
    body,
    address,
  }: { readonly agent: Agent; readonly body: string; readonly address: string },
): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-forwarded-for": address,
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`register answered ${response.statusCode}`));
      });
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** The chance that a random member of `high` is above one of `low`, ties counting half. */
export function areaUnderCurve(low: readonly number[], high: readonly number[]): number {
  const all = [
    ...low.map((value) => ({ value, isHigh: false })),
    ...high.map((value) => ({ value, isHigh: true })),
  ].sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (all[end]?.value === all[start]?.value) end++;
    const meanRank = (start + 1 + end) / 2;
    rankSum += meanRank * all.slice(start, end).filter(({ isHigh }) => isHigh).length;
    start = end;
  }
  return (rankSum - (high.length * (high.length + 1)) / 2) / (low.length * high.length);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
