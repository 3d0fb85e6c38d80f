import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR, LOADER_V3 } from "#src/units/known-addresses.ts";
import { PROGRAM_ID as AMM_V4 } from "#src/venues/raydium-amm-v4/layout.ts";
import { PROGRAM_ID as CPMM } from "#src/venues/raydium-cpmm/layout.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { executableMarket } from "#test/support/chain/executable-market.ts";
import { compiledPrograms } from "#test/support/chain/programs.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { startTestService } from "#test/support/processes/service.ts";
import { programFile } from "../../tools/program-files.ts";
import { surfpool } from "./surfpool.ts";

const SLOT_MS = 400;
const TOKENS = 12;
const PATIENCE_MS = 120_000;

/** An instruction of AMM v4 with a number of which one more makes it take no fee from a sale. */
const NO_FEE = { at: 230_344, bytes: "07020000a0ffffff" } as const;
/** CPMM's divisor of fee rates, a million, as each use of it loads it: `mov64 r, 1000000`. */
const MILLION = Buffer.from("40420f00", "hex");
const MOVE = 0xb7;

const EXECUTED = /does not pay what our model says/;

type Builds = {
  readonly venue: VenueId;
  readonly programId: Address;
  readonly first: Uint8Array;
  /** Other bytes that pay the same. */
  readonly same: Uint8Array;
  /** Pays something else. */
  readonly other: Uint8Array;
};

/** The crate's build of AMM v4, the same with bytes after its end, and with another constant. */
function ammV4(t: TestContext): Builds | null {
  const [program] = compiledPrograms(t, [AMM_V4]) ?? [];
  if (program === undefined) return null;
  const { code } = program;
  const same = Buffer.concat([code, Buffer.from("another build")]);
  const other = Buffer.from(code);
  const { at, bytes } = NO_FEE;
  assert.equal(other.subarray(at, at + 8).toString("hex"), bytes);
  other.writeInt32LE(other.readInt32LE(at + 4) + 1, at + 4);
  return { venue: "raydium-amm-v4", programId: AMM_V4, first: code, same, other };
}

/** Two public builds of CPMM, and the newer one with higher fees; only by hand (`PROGRAMS_DIR`). */
function cpmm(t: TestContext): Builds | null {
  const folder = process.env.PROGRAMS_DIR ?? "";
  const older = join(folder, "raydium_cpmm_2024.so");
  const code = programFile(CPMM);
  if (code === null || !existsSync(older)) {
    t.skip("two builds of CPMM are not here: set PROGRAMS_DIR");
    return null;
  }
  const other = Buffer.from(code);
  for (let at = other.indexOf(MILLION); at !== -1; at = other.indexOf(MILLION, at + 1)) {
    if (other[at - 4] === MOVE) other.writeInt32LE(500_000, at);
  }
  return { venue: "raydium-cpmm", programId: CPMM, first: readFileSync(older), same: code, other };
}

type VenueRecord = {
  readonly program: VenueId;
  readonly executed: {
    readonly sales: number;
    readonly equal: number;
    readonly is_new_deployment: boolean;
    readonly answers_executed: boolean;
  } | null;
};

/** The demo market's accounts and one program on a node of other authors, and a service that follows it. */
async function openScene(t: TestContext, { venue, programId, first }: Builds) {
  const found = surfpool({ slotMs: SLOT_MS });
  if (found.kind === "absent") {
    t.skip(found.reason);
    return null;
  }
  const market = executableMarket(
    { seed: 3, startMs: Date.now(), extraTokens: TOKENS, launchEveryMinutes: null },
    [venue],
  );
  assert.ok(market !== null);
  const node = await found.start(t);
  const deploy = (code: Uint8Array) => node.net.deploy({ programId, soBytes: [...code] });
  deploy(first);
  for (const address of market.ledger.addresses()) {
    const account = market.ledger.get(address);
    const isOwn = account !== null && address !== CLOCK_SYSVAR;
    if (isOwn && account.owner !== LOADER_V3) node.setAccount({ address, ...account });
  }
  const service = await startTestService(t, sqlitePlace(t), {
    ...{ SOLANA_RPC_URL: node.rpcUrl, SOLANA_WS_URL: node.wsUrl },
    ...{ TRUST_PROXY: "1", PROOF: "sample" },
  });
  let callers = 0;
  const read = async <Body>(path: string): Promise<Body> => {
    const number = ++callers;
    const response = await fetch(`${service.url}${path}`, {
      headers: {
        "x-forwarded-for": `10.1.${number >> 8}.${number & 255}`,
        "accept-language": "en",
      },
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return JSON.parse(text);
  };
  const mints = market.mints.slice(-TOKENS);
  return { deploy, read, mints, programId };
}

type Scene = NonNullable<Awaited<ReturnType<typeof openScene>>>;

async function executedOf({ read }: Scene, venue: VenueId): Promise<VenueRecord["executed"]> {
  const { venues } = await read<{ readonly venues: readonly VenueRecord[] }>("/api/accuracy");
  return venues.find(({ program }) => program === venue)?.executed ?? null;
}

async function noticeOf({ read, mints }: Scene): Promise<string | null> {
  const { aviso } = await read<{ aviso: string | null }>(`/api/token/${mints[0]}/exitability`);
  return aviso;
}

/** What every token's answer pays for one SOL, what its program pays, and what aviso says. */
async function answersOf({ read, mints }: Scene) {
  const answers = [];
  for (const mint of mints) {
    const path = `/api/token/${mint}/exitability`;
    const { aviso, confianza } = await read<{ aviso: string | null; confianza: string }>(path);
    const exit = await read<{ net_lamports: string | null }>(`${path}/at?size=1`);
    const proof = await read<{
      sales: readonly { executed: { amount_out: string | null } | null }[];
    }>(`${path}/proof?size=1`);
    const executed = proof.sales[0]?.executed?.amount_out ?? null;
    answers.push({ aviso, confianza, paid: exit.net_lamports, executed });
  }
  return answers;
}

for (const [name, buildsOf] of [
  ["Raydium AMM v4", ammV4],
  ["Raydium CPMM", cpmm],
] as const) {
  test(`builds of ${name} deployed while the service runs: one that pays the same is trusted again, and answers follow one that does not`, async (t) => {
    const builds = buildsOf(t);
    const scene = builds === null ? null : await openScene(t, builds);
    if (builds === null || scene === null) return;
    const { venue } = builds;
    const since = (startMs: number): string =>
      `${((performance.now() - startMs) / 1_000).toFixed(1)} s`;
    const first = await answersOf(scene);
    for (const { paid, executed } of first) assert.equal(paid, executed);
    await eventually("an execution", async () => await executedOf(scene, venue), PATIENCE_MS);

    const sameMs = performance.now();
    scene.deploy(builds.same);
    const isNew = async () => (await executedOf(scene, venue))?.is_new_deployment ?? false;
    await eventually("the new deployment", async () => (await isNew()) || null, PATIENCE_MS);
    const noticed = since(sameMs);
    await eventually("its verdict", async () => !(await isNew()) || null, PATIENCE_MS);
    t.diagnostic(
      `a build that pays the same: noticed after ${noticed}, proved after ${since(sameMs)}`,
    );
    for (const { paid, executed } of await answersOf(scene)) assert.equal(paid, executed);

    const otherMs = performance.now();
    scene.deploy(builds.other);
    await eventually(
      "an executed answer",
      async () => (EXECUTED.test((await noticeOf(scene)) ?? "") ? true : null),
      PATIENCE_MS,
    );
    t.diagnostic(
      `a build that pays otherwise: the first answer is executed after ${since(otherMs)}`,
    );
    const follows = async () => {
      const answers = await answersOf(scene);
      const hasChanged = answers.every(({ aviso, paid, executed }, index) => {
        const isAsPaid = paid === executed && paid !== first[index]?.paid;
        // The answer to the size may be executed a moment before the token's own.
        return isAsPaid && EXECUTED.test(aviso ?? "");
      });
      return hasChanged ? answers : null;
    };
    const changed = await eventually("every answer as the new build pays", follows, PATIENCE_MS);
    t.diagnostic(
      `a build that pays otherwise: ${TOKENS} answers follow it after ${since(otherMs)}`,
    );
    assert.equal((await executedOf(scene, venue))?.answers_executed, true);
    for (const { confianza } of changed) assert.equal(confianza, "media");
  });
}
