import type UPlot from "uplot";

/** A dashed line across the chart at a value, with a word at its start, where a loss that grows is below it. */
export function markY(plot: UPlot, value: number, color: string, word: string): void {
  const { bbox } = plot;
  const y = plot.valToPos(value, "y", true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  draw(plot, color, [
    [bbox.left, y],
    [bbox.left + bbox.width, y],
  ]);
  write(plot, color, word, {
    x: bbox.left + 4 * devicePixelRatio,
    y: y - 4 * devicePixelRatio,
  });
}

type Mark = { readonly color: string; readonly word: string; readonly freeUntil?: number };

/**
 * A dashed line up the chart at a place, with a word beside its top where that has room: to the left of
 * `freeUntil`, and within the chart. Returns up to where the next word to the left has room.
 */
export function markX(
  plot: UPlot,
  at: number,
  { color, word, freeUntil = Number.POSITIVE_INFINITY }: Mark,
): number {
  const { bbox, ctx } = plot;
  const end = bbox.left + bbox.width;
  const x = plot.valToPos(at, "x", true);
  if (x < bbox.left || x > end) return freeUntil;
  draw(plot, color, [
    [x, bbox.top],
    [x, bbox.top + bbox.height],
  ]);
  ctx.font = font();
  const { width } = ctx.measureText(word);
  const gap = 5 * devicePixelRatio;
  const left = x + gap + width > end ? x - gap - width : x + gap;
  if (left + width > freeUntil) return freeUntil;
  write(plot, color, word, { x: left, y: bbox.top + 12 * devicePixelRatio });
  return left - gap;
}

type Point = readonly [x: number, y: number];

function draw({ ctx }: UPlot, color: string, [from, to]: readonly [Point, Point]): void {
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.restore();
}

const font = () => `${11 * devicePixelRatio}px system-ui, sans-serif`;

type Place = { readonly x: number; readonly y: number };

/** On a ground of the panel's colour, so that it is read where a line passes behind it. */
function write({ ctx }: UPlot, color: string, word: string, { x, y }: Place): void {
  ctx.save();
  ctx.font = font();
  ctx.textAlign = "left";
  ctx.strokeStyle = getComputedStyle(ctx.canvas).getPropertyValue("--panel");
  ctx.lineWidth = 4 * devicePixelRatio;
  ctx.lineJoin = "round";
  ctx.strokeText(word, x, y);
  ctx.fillStyle = color;
  ctx.fillText(word, x, y);
  ctx.restore();
}
