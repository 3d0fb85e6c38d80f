import { useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { usePreferences } from "../../lib/preferences.tsx";

type Kind = "curl" | "typescript" | "python";

function exampleOf(kind: Kind, origin: string, key: string): string {
  const url = `${origin}/api/token/MINT/exitability?size=5`;
  switch (kind) {
    case "curl":
      return `curl -H "x-api-key: ${key}" "${url}"`;
    case "typescript":
      return [
        `const response = await fetch("${url}", {`,
        `  headers: { "x-api-key": "${key}" },`,
        "});",
        "const { slippage, exit_max_sol } = await response.json();",
      ].join("\n");
    case "python":
      return [
        "import json, urllib.request",
        `request = urllib.request.Request("${url}",`,
        `    headers={"x-api-key": "${key}"})`,
        "answer = json.load(urllib.request.urlopen(request))",
      ].join("\n");
    default: {
      const unreachable: never = kind;
      return unreachable;
    }
  }
}

/** Lines to paste, with the key in them as long as it is shown. */
export function CodeExamples({ apiKey }: { readonly apiKey: string | null }) {
  const { text } = usePreferences();
  const [kind, setKind] = useState<Kind>("curl");
  const example = exampleOf(kind, window.location.origin, apiKey ?? "exi_…");
  return (
    <section className="panel stack" aria-labelledby="examples">
      <div className="row spread">
        <h2 id="examples">{text.apiKeys.examplesTitle}</h2>
        <Choice
          label={text.apiKeys.examplesTitle}
          value={kind}
          options={[
            { value: "curl", label: "curl" },
            { value: "typescript", label: "TypeScript" },
            { value: "python", label: "Python" },
          ]}
          onChange={setKind}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre className="code" tabIndex={0}>
        {example}
      </pre>
      <div className="row spread">
        <CopyButton value={example} />
        <a href="/docs">{text.apiKeys.docs}</a>
      </div>
    </section>
  );
}
