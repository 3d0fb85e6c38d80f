/** Of five intervals in a row at least one follows a collection of all garbage. */
const POINTS_A_FLOOR = 5;

/** Memory in use at one time of a run. */
export type Point = { readonly minutes: number; readonly bytes: number };

/** The lowest of every few points in a row; what is left over at the end is not a floor. */
export function floorsOf(points: readonly Point[]): readonly Point[] {
  const floors = Math.floor(points.length / POINTS_A_FLOOR);
  return Array.from({ length: floors }, (_, place) =>
    points
      .slice(place * POINTS_A_FLOOR, (place + 1) * POINTS_A_FLOOR)
      .reduce((lowest, point) => (point.bytes < lowest.bytes ? point : lowest)),
  );
}

/** The least squares' line: megabytes at its beginning, their growth in an hour and over the points. */
export function lineThrough(points: readonly Point[]) {
  const mean = (pick: (point: Point) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [minutes, bytes] = [mean((point) => point.minutes), mean((point) => point.bytes)];
  const spread = mean((point) => (point.minutes - minutes) ** 2);
  const common = mean((point) => (point.minutes - minutes) * (point.bytes - bytes));
  const slope = spread === 0 ? 0 : common / spread;
  const span = (points.at(-1)?.minutes ?? 0) - (points[0]?.minutes ?? 0);
  const first = bytes - slope * (minutes - (points[0]?.minutes ?? 0));
  return {
    startMb: Math.round(first / 1e6),
    mbPerHour: Number(((slope * 60) / 1e6).toFixed(1)),
    growthShare: Number(((slope * span) / first).toFixed(3)),
  };
}
