import type pg from "pg";

const LOOK_EVERY_MS = 100;
const WRITERS = `
  select held.pid, held.objid::int8::text as term
  from pg_locks held
  where held.locktype = 'advisory' and held.granted
    and held.classid::int8 = (hashtext('exitability.writer.' || current_schema()) & 2147483647)`;

export type Leaders = {
  /** Polls in which a connection of an earlier term was open beside a later one's, in two consecutive polls. */
  readonly twoAtOnce: () => number;
  /** When the term was first seen to be raised after a moment; null: it was not. */
  readonly raisedAtMs: (sinceMs: number) => number | null;
  readonly stop: () => void;
};

/** Watches in the database itself which terms may write: one that has just been refused is gone at the next look. */
export function watchLeaders(sql: pg.Pool): Leaders {
  const raised: { term: bigint; atMs: number }[] = [];
  let late = new Set<string>();
  let twoAtOnce = 0;
  let isLooking = false;
  const look = async () => {
    const writers = await sql.query<{ pid: number; term: string }>(WRITERS);
    const marks = writers.rows.map(({ pid, term }) => ({ pid, term: BigInt(term) }));
    const newest = marks.reduce((most, { term }) => (term > most ? term : most), 0n);
    if (newest > (raised.at(-1)?.term ?? 0n)) raised.push({ term: newest, atMs: Date.now() });
    const lateNow = marks.filter(({ term }) => term < newest).map(({ pid }) => String(pid));
    if (lateNow.some((pid) => late.has(pid))) twoAtOnce++;
    late = new Set(lateNow);
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => undefined) // The database itself may be what fails.
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS);
  return {
    twoAtOnce: () => twoAtOnce,
    raisedAtMs: (sinceMs) => raised.find(({ atMs }) => atMs >= sinceMs)?.atMs ?? null,
    stop: () => clearInterval(timer),
  };
}
