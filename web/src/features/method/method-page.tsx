import { useText } from "../../lib/preferences.tsx";
import "./method.css";

/** Every definition in a reader's words, its formula under a fold. */
export function MethodPage() {
  const text = useText();
  return (
    <div className="stack">
      <h1>{text.method.title}</h1>
      <p className="prose soft">{text.method.lead}</p>
      <div className="method">
        {text.method.entries.map(({ name, body, formula }) => (
          <section key={name} className="panel stack">
            <h2>{name}</h2>
            <p>{body}</p>
            <details>
              <summary>{text.method.formula}</summary>
              <p className="mono formula">{formula}</p>
            </details>
          </section>
        ))}
      </div>
    </div>
  );
}
