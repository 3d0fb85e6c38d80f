import { type FormEvent, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { findMint } from "../../lib/find-mint.ts";
import { plainText, shortAddress, unbroken } from "../../lib/format.ts";
import { usePreferences, useText } from "../../lib/preferences.tsx";
import { recentTokens } from "../../lib/recent-tokens.ts";
import { navigate } from "../../lib/router.ts";
import { useTitle } from "../../lib/title.ts";
import { CurrentAlerts } from "./current-alerts.tsx";
import { type KnownToken, searchTokens } from "./search-tokens.ts";
import { useExamples } from "./use-examples.ts";
import "./home.css";

export function HomePage() {
  const text = useText();
  useTitle(text.home.title);
  return (
    <div className="stack home">
      <header className="stack home-head">
        <h1>{text.home.title}</h1>
        <p className="home-lead">{text.home.lead}</p>
        <Search />
        <Recent />
      </header>
      <CurrentAlerts />
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

/** The tokens that can be found by their symbol here: those opened before, and the examples. */
function useKnownTokens(): readonly KnownToken[] {
  const { data } = useExamples();
  const examples = (data?.tokens ?? []).map(({ mint, name, symbol }) => ({
    mint,
    name: plainText(name) ?? shortAddress(mint),
    symbol: plainText(symbol) ?? "",
  }));
  const recent = recentTokens().map(({ mint, name }) => ({ mint, name, symbol: name }));
  return [...recent, ...examples];
}

function Search() {
  const text = useText();
  const [typed, setTyped] = useState("");
  const [isRefused, setIsRefused] = useState(false);
  const found = searchTokens(useKnownTokens(), typed);
  function go(mint: string): void {
    navigate(`/token/${mint}`);
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    const mint = findMint(typed) ?? found[0]?.mint ?? null;
    setIsRefused(mint === null);
    if (mint !== null) go(mint);
  }
  return (
    <form className="line-form measure-form" onSubmit={submit} noValidate>
      <Field
        label={text.home.field}
        name="mint"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setIsRefused(false);
        }}
        onPaste={(event) => {
          const mint = findMint(event.clipboardData.getData("text"));
          if (mint === null) return;
          event.preventDefault();
          go(mint);
        }}
        placeholder={text.home.placeholder}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        wrong={isRefused ? text.home.invalid : null}
      />
      <Button type="submit" look="primary">
        {text.home.submit}
      </Button>
      {found.length === 0 ? null : (
        <ul className="found" aria-label={text.home.found}>
          {found.map(({ mint, name, symbol }) => (
            <li key={mint}>
              <Link className="chip" href={`/token/${mint}`}>
                <bdi>{symbol === "" ? name : symbol}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

function Recent() {
  const text = useText();
  const tokens = recentTokens();
  if (tokens.length === 0) return null;
  return (
    <nav className="recent" aria-label={text.home.recent}>
      <span className="soft small">{text.home.recent}</span>
      <ul className="found">
        {tokens.map(({ mint, name }) => (
          <li key={mint}>
            <Link className="chip" href={`/token/${mint}`}>
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
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
              <span className="soft small">{unbroken(story[language])}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
