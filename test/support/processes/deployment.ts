import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const DEPLOY = join(import.meta.dirname, "..", "..", "..", "deploy");
/** A secret as an operator sets it. */
export const SECRET = "0123456789abcdef0123456789abcdef";
const REFERENCE = /\$\{([A-Z_]+):\?[^}]*\}/g;

/** A service of the compose file, as far as the tests look. */
export type ComposeService = {
  readonly image?: string;
  readonly build?: { readonly context: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: string;
  readonly healthcheck?: unknown;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
};

export type Compose = {
  readonly services: Readonly<Record<"service" | "postgres" | "redis", ComposeService>>;
};

export function readCompose(): Compose {
  return parse(readFileSync(join(DEPLOY, "compose.yml"), "utf8")) as Compose;
}

/** The variables that must not be empty, or `docker compose` refuses to start anything. */
export function demandedVariables({ services }: Compose): readonly string[] {
  return Object.values(services).flatMap(({ environment }) =>
    Object.values(environment ?? {}).flatMap((text) =>
      [...text.matchAll(REFERENCE)].map(([, name = ""]) => name),
    ),
  );
}

/** What a container of the service finds in its environment, above the image's own. */
export function serviceEnvironment(
  { services }: Compose,
  envFile: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const own = Object.entries(services.service.environment ?? {}).map(([name, text]) => [
    name,
    text.replace(REFERENCE, (_, variable: string) => envFile[variable] ?? ""),
  ]);
  return { ...envFile, ...Object.fromEntries(own) };
}

/** A variable of example.env: what it is set to, or, commented out, an example of it. */
export type ExampleVariable = {
  readonly name: string;
  readonly value: string;
  readonly isSet: boolean;
};

export function readExample(): readonly ExampleVariable[] {
  const text = readFileSync(join(DEPLOY, "example.env"), "utf8");
  return [...text.matchAll(/^(# )?([A-Z_]+)=(.*)$/gm)].map(([, mark, name = "", value = ""]) => ({
    name,
    value,
    isSet: mark === undefined,
  }));
}

/** The set variables as an operator leaves them: what was empty is filled in. */
export function filledIn(example: readonly ExampleVariable[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    example.filter(({ isSet }) => isSet).map(({ name, value }) => [name, value || SECRET]),
  );
}
