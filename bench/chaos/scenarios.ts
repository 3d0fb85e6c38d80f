import type { Deployment, Member, WireTo } from "./deployment.ts";

const RESTARTED_AFTER_MS = 1_000;
/** Long enough for answers to grow old. */
const AGEING_MS = 45_000;
export const TAKEOVER_WITHIN_MS = 10_000;

/** Where a part fails: the deployment, and which tracker is active at the start. */
export type Scene = Deployment & { readonly tracking: Member };

/** One failure of one part. */
export type Scenario = {
  readonly name: string;
  /** Lasts until `mend`. */
  readonly fail: (scene: Scene) => Promise<void> | void;
  readonly mend: (scene: Scene) => Promise<void> | void;
  readonly holdMs: number;
  /** Another tracker takes over. */
  readonly takesOver?: boolean;
};

/** Every part killed, frozen or cut off, each once. `holdMs`: for how long a cut lasts. */
export function allScenarios(holdMs: number): readonly Scenario[] {
  const named = ({ members }: Scene, name: string): Member => {
    const member = members.find((candidate) => candidate.name === name);
    if (member === undefined) throw new Error(`there is no ${name}`);
    return member;
  };
  const standby = (scene: Scene) =>
    named(scene, scene.tracking.name === "tracker 1" ? "tracker 2" : "tracker 1");
  const replica = (scene: Scene) => named(scene, "api 1");
  const killed = (name: string, who: (scene: Scene) => Member, takesOver = false): Scenario => ({
    name: `kill -9 of ${name}`,
    fail: (scene) => who(scene).kill(),
    mend: (scene) => who(scene).start(),
    holdMs: takesOver ? TAKEOVER_WITHIN_MS : RESTARTED_AFTER_MS,
    takesOver,
  });
  const cuts = (name: string, who: (scene: Scene) => Member, to: WireTo): readonly Scenario[] =>
    (["cut", "silence"] as const).map((how) => ({
      name: `${name}: ${how === "cut" ? "broken off" : "packets dropped"}`,
      fail: (scene) => {
        for (const wire of who(scene).wires[to]) wire[how]();
      },
      mend: (scene) => {
        for (const wire of who(scene).wires[to]) wire.mend();
      },
      holdMs: to === "node" ? AGEING_MS : holdMs,
      takesOver: to === "postgres" && who !== replica,
    }));
  const self = ({ tracking }: Scene) => tracking;
  const nothing = () => undefined;
  return [
    { name: "nothing fails", fail: nothing, mend: nothing, holdMs },
    killed("the active tracker", self, true),
    killed("the standby", standby),
    killed("a replica", replica),
    killed("the alert worker", (scene) => named(scene, "alerts")),
    {
      name: "the active tracker freezes",
      fail: ({ tracking }) => tracking.service().freeze(),
      mend: ({ tracking }) => tracking.service().thaw(),
      holdMs,
      takesOver: true,
    },
    {
      name: "Postgres crashes and is started again",
      fail: ({ postgres }) => postgres.breakOff(),
      mend: ({ postgres }) => postgres.start(),
      holdMs: RESTARTED_AFTER_MS,
    },
    {
      name: "Redis is killed and started again",
      fail: ({ redis }) => redis.kill(),
      mend: ({ redis }) => redis.start(),
      holdMs,
    },
    { name: "Redis FLUSHALL", fail: ({ redis }) => redis.flush(), mend: nothing, holdMs },
    {
      name: "Redis freezes",
      fail: ({ redis }) => redis.freeze(),
      mend: ({ redis }) => redis.thaw(),
      holdMs,
    },
    ...cuts("replica and Redis", replica, "redis"),
    ...cuts("tracker and Redis", self, "redis"),
    ...cuts("replica and Postgres", replica, "postgres"),
    ...cuts("tracker and Postgres", self, "postgres"),
    ...cuts("tracker and node", self, "node"),
  ];
}
