import { useEffect, useRef } from "react";
import UPlot, { type AlignedData, type Options } from "uplot";
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { usePreferences } from "../lib/preferences.tsx";

type Props = {
  /** Says what the picture shows; the numbers are in the table beside it. */
  readonly label: string;
  readonly data: AlignedData;
  readonly height: number;
  /** Everything but size and data; built again when the theme changes. */
  readonly optionsFor: (color: (name: string) => string) => Omit<Options, "width" | "height">;
};

/** uPlot in a box of fixed height: redrawn with the data, the width and the theme. */
export function LineChart({ label, data, height, optionsFor }: Props) {
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

  return <div ref={box} className="chart" style={{ height }} role="img" aria-label={label} />;
}
