import { useState } from "react";
import { Choice } from "../../components/choice.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { usePreferences } from "../../lib/preferences.tsx";
import type { Language } from "../../lib/text/language.ts";

type Kind = "curl" | "typescript" | "python";

type Caller = { readonly origin: string; readonly key: string; readonly language: Language };

function exampleOf(kind: Kind, { origin, key, language }: Caller): string {
  const url = `${origin}/api/token/MINT/exitability?size=5`;
  switch (kind) {
    case "curl":
      return `curl -H "x-api-key: ${key}" -H "accept-language: ${language}" "${url}"`;
    case "typescript":
      return [
        `const response = await fetch("${url}", {`,
        `  headers: { "x-api-key": "${key}", "accept-language": "${language}" },`,
        "});",
        "const { slippage, exit_max_sol } = await response.json();",
      ].join("\n");
    case "python":
      return [
        "import json, urllib.request",
        `request = urllib.request.Request("${url}",`,
        `    headers={"x-api-key": "${key}", "accept-language": "${language}"})`,
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
  const { text, language } = usePreferences();
  const [kind, setKind] = useState<Kind>("curl");
  const example = exampleOf(kind, {
    origin: window.location.origin,
    key: apiKey ?? "exi_…",
    language,
  });
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
