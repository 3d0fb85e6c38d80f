import { unbroken } from "../../lib/format.ts";
import { usePreferences } from "../../lib/preferences.tsx";
import { useTitle } from "../../lib/title.ts";
import { DEFINITIONS_EN } from "./definitions-en.ts";
import { DEFINITIONS_ES } from "./definitions-es.ts";
import "./method.css";

/** Every definition in a reader's words, its formula under a fold. */
export function MethodPage() {
  const { text, language } = usePreferences();
  useTitle(text.method.title);
  const definitions = language === "es" ? DEFINITIONS_ES : DEFINITIONS_EN;
  return (
    <div className="stack">
      <h1>{text.method.title}</h1>
      <p className="prose soft">{text.method.lead}</p>
      <div className="panel definitions">
        {definitions.map(({ name, body, formula }) => (
          <section key={name} className="definition">
            <h2>{name}</h2>
            <div className="prose">
              <p>{unbroken(body)}</p>
              <details>
                <summary>{text.method.formula}</summary>
                <p className="mono formula">{unbroken(formula)}</p>
              </details>
            </div>
          </section>
        ))}
      </div>
    </div>
  );
}
