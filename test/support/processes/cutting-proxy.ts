import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { closeAfter, type Ending } from "../ending.ts";

export type CuttingProxy = {
  readonly url: string;
  readonly port: number;
  /** How many were made so far. */
  readonly connections: () => number;
  /** How many are open now. */
  readonly open: () => number;
  /** Breaks off every connection, and refuses new ones until `mend`. */
  readonly cut: () => void;
  /**
   * Discards every byte until `mend`, like a firewall that drops packets: no side gets an error or an
   * end. Connections open at that time stay silent afterwards; only new ones work.
   */
  readonly silence: () => void;
  readonly mend: () => void;
};

type Pair = { readonly near: Socket; readonly far: Socket | null; isSilent: boolean };

/** A wire between a client and a service that the test can cut. */
export async function startCuttingProxy(ending: Ending, target: string): Promise<CuttingProxy> {
  const { hostname, port: targetPort } = new URL(target);
  const pairs = new Set<Pair>();
  let state: "whole" | "cut" | "silent" = "whole";
  let connections = 0;
  const server = createServer((near) => {
    connections++;
    if (state === "cut") {
      near.destroy();
      return;
    }
    const far = state === "silent" ? null : connect(Number(targetPort), hostname);
    const pair = { near, far, isSilent: state === "silent" };
    pairs.add(pair);
    near.on("error", () => undefined);
    near.on("close", () => {
      if (!pair.isSilent) pairs.delete(pair);
    });
    if (far === null) near.resume();
    else {
      carry(pair, near, far);
      carry(pair, far, near);
    }
  });
  const breakOff = (pair: Pair) => {
    pairs.delete(pair);
    pair.near.destroy();
    pair.far?.destroy();
  };
  const cut = () => {
    state = "cut";
    for (const pair of pairs) breakOff(pair);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(ending, () => {
    cut();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    open: () => pairs.size,
    cut,
    silence: () => {
      state = "silent";
      for (const pair of pairs) pair.isSilent = true;
    },
    mend: () => {
      state = "whole";
    },
  };
}

function carry(pair: Pair, from: Socket, to: Socket): void {
  from.on("data", (bytes) => {
    if (pair.isSilent || !to.writable) return;
    if (to.write(bytes)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.on("error", () => {
    if (!pair.isSilent) to.destroy();
  });
  from.on("end", () => {
    if (!pair.isSilent) to.end();
  });
  from.on("close", () => {
    if (!pair.isSilent) to.destroy();
  });
}
