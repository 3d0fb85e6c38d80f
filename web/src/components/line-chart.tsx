import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import UPlot, { type AlignedData, type Options } from "uplot";
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { usePreferences } from "../lib/preferences.tsx";
import { ExportButtons } from "./export-buttons.tsx";

type Color = (name: string) => string;

type Props = {
  /** What the picture shows; its values are read with the pointer, a finger or the arrow keys. */
  readonly label: string;
  readonly data: AlignedData;
  readonly height: number;
  /** Everything but size and data; built again when the theme changes. */
  readonly optionsFor: (color: Color) => Omit<Options, "width" | "height">;
  /** The values at a point, as a sentence. */
  readonly readAt: (index: number) => string;
  readonly file: { readonly name: string; readonly csv: () => string };
};

/** uPlot in a box of fixed height: redrawn with the data, the width and the theme. */
export function LineChart({ label, data, height, optionsFor, readAt, file }: Props) {
  const { text } = usePreferences();
  const { box, plot } = useChart({ data, height, optionsFor });
  const [index, setIndex] = useState<number | null>(null);
  const last = (data[0]?.length ?? 1) - 1;
  const shown = index === null ? null : Math.min(index, last);
  function show(next: number | null): void {
    setIndex(next);
    const at = next === null ? undefined : data[0]?.[next];
    if (plot.current === null) return;
    const left = at === undefined ? -10 : plot.current.valToPos(at, "x");
    plot.current.setCursor({ left, top: at === undefined ? -10 : height / 2 });
  }
  function point({ clientX }: PointerEvent): void {
    const chart = plot.current;
    if (chart === null) return;
    const { left } = chart.over.getBoundingClientRect();
    show(chart.posToIdx(clientX - left));
  }
  function press(event: KeyboardEvent): void {
    const from = shown ?? last;
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  }
  const reading = shown === null ? "" : readAt(shown);
  return (
    <div className="chart-box">
      <div className="row spread chart-head">
        <p className="chart-reading figure small">
          {reading === "" ? <span className="chart-keys">{text.exit.chart.keys}</span> : reading}
        </p>
        <ExportButtons
          name={file.name}
          csv={file.csv}
          canvas={() => plot.current?.ctx.canvas ?? null}
        />
      </div>
      <div
        ref={box}
        className="chart"
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? Math.max(0, last)}
        aria-valuetext={reading === "" ? readAt(Math.max(0, last)) : reading}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => show(null)}
        onKeyDown={press}
        onBlur={() => show(null)}
      />
    </div>
  );
}

function useChart({ data, height, optionsFor }: Pick<Props, "data" | "height" | "optionsFor">) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const newest = useRef(data);
  newest.current = data;
  const { theme } = usePreferences();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that CSS gives
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const style = getComputedStyle(document.documentElement);
    const options = optionsFor((name) => style.getPropertyValue(name).trim());
    const chart = new UPlot(
      { ...options, width: element.clientWidth, height },
      newest.current,
      element,
    );
    plot.current = chart;
    const observer = new ResizeObserver(() => {
      chart.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [height, optionsFor, theme]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return { box, plot };
}
