import { type FormEvent, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { looksLikeMint, plainText, shortAddress, unbroken } from "../../lib/format.ts";
import { usePreferences, useText } from "../../lib/preferences.tsx";
import { navigate } from "../../lib/router.ts";
import { useTitle } from "../../lib/title.ts";
import { useExamples } from "./use-examples.ts";
import "./home.css";

export function HomePage() {
  const text = useText();
  useTitle(text.home.title);
  return (
    <div className="stack home">
      <div className="stack prose">
        <h1>{text.home.title}</h1>
        <p className="home-lead">{text.home.lead}</p>
      </div>
      <MintForm />
      <section className="stack" aria-labelledby="meaning">
        <h2 id="meaning">{text.home.meaningTitle}</h2>
        <ul className="meaning">
          {text.home.meaning.map((sentence) => (
            <li key={sentence}>{unbroken(sentence)}</li>
          ))}
        </ul>
      </section>
      <ExampleList />
    </div>
  );
}

function MintForm() {
  const text = useText();
  const [mint, setMint] = useState("");
  const [isRefused, setIsRefused] = useState(false);
  function submit(event: FormEvent): void {
    event.preventDefault();
    const isMint = looksLikeMint(mint);
    setIsRefused(!isMint);
    if (isMint) navigate(`/token/${mint.trim()}`);
  }
  return (
    <form className="measure-form" onSubmit={submit} noValidate>
      <div className="field">
        <label htmlFor="mint">{text.home.field}</label>
        <input
          id="mint"
          name="mint"
          value={mint}
          onChange={(event) => setMint(event.target.value)}
          placeholder={text.home.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={isRefused}
          aria-describedby={isRefused ? "mint-error" : undefined}
        />
      </div>
      <Button type="submit" look="primary">
        {text.home.submit}
      </Button>
      {isRefused ? (
        <p id="mint-error" className="field-error" role="alert">
          {text.home.invalid}
        </p>
      ) : null}
    </form>
  );
}

function ExampleList() {
  const { text, language } = usePreferences();
  const { data } = useExamples();
  if (data !== undefined && data.tokens.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="examples">
      <h2 id="examples">{text.home.examples}</h2>
      <ul className="examples">
        {(data?.tokens ?? []).map(({ mint, name, symbol, story }) => (
          <li key={mint}>
            <Link className="example" href={`/token/${mint}`}>
              <strong>
                <bdi>{plainText(symbol) ?? plainText(name) ?? shortAddress(mint)}</bdi>
              </strong>
              <span className="soft small">{story[language]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
