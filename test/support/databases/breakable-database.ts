import type { Database } from "#src/store/connection/database.ts";

/** The database, and a switch that makes every access fail. */
export function breakable(database: Database) {
  const power = { isOff: false };
  const db = new Proxy(database.db, {
    get(target, name) {
      if (power.isOff) throw new Error("connection terminated");
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { database: { ...database, db }, power };
}
