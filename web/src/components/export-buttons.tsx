import { usePreferences } from "../lib/preferences.tsx";
import { Button } from "./button.tsx";

type Props = {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly csv: () => string;
  readonly canvas: () => HTMLCanvasElement | null;
};

/** Saves a chart's values as a table, or its picture. */
export function ExportButtons({ name, csv, canvas }: Props) {
  const { text } = usePreferences();
  function savePicture(): void {
    const drawn = canvas();
    if (drawn === null) return;
    onPaper(drawn).toBlob((blob) => {
      if (blob !== null) save(blob, `${name}.png`);
    });
  }
  return (
    <div className="row export">
      <Button
        look="quiet"
        isSmall
        aria-label={`${text.exit.chart.save} ${text.exit.chart.csv}`}
        onClick={() => save(new Blob([csv()], { type: "text/csv" }), `${name}.csv`)}
      >
        {text.exit.chart.csv}
      </Button>
      <Button
        look="quiet"
        isSmall
        aria-label={`${text.exit.chart.save} ${text.exit.chart.png}`}
        onClick={savePicture}
      >
        {text.exit.chart.png}
      </Button>
    </div>
  );
}

/** The chart on the panel's colour: its own ground is transparent. */
function onPaper(drawn: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement("canvas");
  copy.width = drawn.width;
  copy.height = drawn.height;
  const context = copy.getContext("2d");
  if (context === null) return drawn;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel");
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(drawn, 0, 0);
  return copy;
}

function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
