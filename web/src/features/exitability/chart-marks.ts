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
    align: "left",
  });
}

/** A dashed line up the chart at a place, with a word beside its top. */
export function markX(plot: UPlot, at: number, color: string, word: string): void {
  const { bbox } = plot;
  const x = plot.valToPos(at, "x", true);
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  draw(plot, color, [
    [x, bbox.top],
    [x, bbox.top + bbox.height],
  ]);
  const isRight = x > bbox.left + bbox.width * 0.7;
  const gap = (isRight ? -5 : 5) * devicePixelRatio;
  const y = bbox.top + 12 * devicePixelRatio;
  write(plot, color, word, { x: x + gap, y, align: isRight ? "right" : "left" });
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

type Place = { readonly x: number; readonly y: number; readonly align: CanvasTextAlign };

function write({ ctx }: UPlot, color: string, word: string, { x, y, align }: Place): void {
  if (word === "") return;
  ctx.save();
  ctx.fillStyle = color;
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = align;
  ctx.fillText(word, x, y);
  ctx.restore();
}
