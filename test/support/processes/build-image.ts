import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, dirname, join, matchesGlob, relative } from "node:path";
import type { ImageFile, Step } from "./image-file.ts";
import { linkTree } from "./link-tree.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
/** Installed for production, and then removed from the image. */
const REMOVED = [
  "node_modules/node-linux-*",
  "node_modules/typescript",
  "node_modules/@typescript",
  "node_modules/react-dom",
];

/**
 * Lays out in `directory` what a container engine would put into the image, above its base: the same
 * steps in the same order, on the same files of the checkout. Packages come from the ones installed
 * here instead of the registry. @returns the image's root directory and its working directory in there
 */
export function buildImage(
  image: ImageFile,
  directory: string,
): { readonly root: string; readonly workingDirectory: string } {
  const isIgnored = readIgnoreFile(readFileSync(join(ROOT, ".dockerignore"), "utf8"));
  const built = new Map<string, { root: string; workingDirectory: string }>();
  for (const { name, base, steps } of image.stages) {
    const root = join(directory, name);
    const below = built.get(base);
    const stage = { root, workingDirectory: below?.workingDirectory ?? "/" };
    mkdirSync(root, { recursive: true });
    if (below !== undefined) linkTree(below.root, root);
    built.set(name, stage);
    for (const step of steps) {
      if (step.keyword === "WORKDIR") {
        stage.workingDirectory = step.text;
        mkdirSync(join(root, step.text), { recursive: true });
      }
      if (step.keyword === "RUN") run(step.text, join(root, stage.workingDirectory));
      if (step.keyword === "COPY") {
        const source = step.fromStage === null ? ROOT : built.get(step.fromStage)?.root;
        assert.ok(source !== undefined, `there is no stage ${step.fromStage} to copy from`);
        const target = join(root, stage.workingDirectory);
        copy(step, { source, target, isLeftOut: isIgnored });
      }
    }
  }
  const last = built.get(image.stages.at(-1)?.name ?? "");
  assert.ok(last !== undefined);
  return last;
}

/**
 * Whether a path of the checkout is kept from the engine: the last pattern that matches it, or a
 * folder that it is in, decides.
 */
export function readIgnoreFile(text: string): (path: string) => boolean {
  const patterns = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ isException: line.startsWith("!"), form: formOf(line.replace(/^!/, "")) }));
  return (path) => {
    const parts = path.split("/");
    const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    const decisive = patterns.findLast(({ form }) => prefixes.some((prefix) => form.test(prefix)));
    return decisive !== undefined && !decisive.isException;
  };
}

/** Unlike a shell's, a star of an engine's matches names that begin with a dot too. */
function formOf(pattern: string): RegExp {
  const parts = pattern.split(/(\*\*\/|\*)/).map((part) => {
    if (part === "**/") return "(?:.*/)?";
    return part === "*" ? "[^/]*" : RegExp.escape(part);
  });
  return new RegExp(`^${parts.join("")}$`);
}

function copy(
  { text, fromStage }: Step,
  place: { source: string; target: string; isLeftOut: (path: string) => boolean },
): void {
  const sources = text.split(" ");
  const target = sources.pop() ?? "";
  for (const name of sources) {
    const into = join(place.target, target, target.endsWith("/") ? basename(name) : "");
    mkdirSync(dirname(into), { recursive: true });
    if (fromStage !== null) {
      // No second copy: a link stands for what the other stage holds already.
      assert.ok(existsSync(join(place.source, name)), `COPY ${text}: there is no ${name}`);
      symlinkSync(join(place.source, name), into);
      continue;
    }
    const files = linkTree(join(place.source, name), into, (path) =>
      place.isLeftOut(relative(place.source, path)),
    );
    assert.ok(files > 0, `COPY ${text}: nothing of ${name} gets there`);
  }
}

/** @throws for a command that this fake engine does not know */
function run(command: string, directory: string): void {
  switch (command) {
    case "npm ci":
      symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
      return;
    case `npm ci --omit=dev && rm -rf ${REMOVED.join(" ")}`:
      copyProductionPackages(join(directory, "package-lock.json"), directory);
      return;
    case "node tools/build-web.ts": {
      const built = spawnSync(process.execPath, command.split(" ").slice(1), { cwd: directory });
      assert.equal(built.status, 0, String(built.stderr));
      return;
    }
    default:
      // A folder of the image's own; the engine makes it for the image's user.
      assert.match(command, /^install -d /, `RUN ${command}: say here what it stands for`);
  }
}

function isRemoved(path: string): boolean {
  return REMOVED.some((pattern) => matchesGlob(path, pattern) || path.startsWith(`${pattern}/`));
}

type Lock = { readonly packages: Readonly<Record<string, { readonly dev?: boolean }>> };

/** What is installed here of what the lock file says is for production, but for what the image removes. */
function copyProductionPackages(lockFile: string, directory: string): void {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as Lock;
  for (const [path, { dev }] of Object.entries(packages)) {
    const from = join(ROOT, path);
    if (path === "" || dev || isRemoved(path)) continue;
    if (!existsSync(from)) continue; // For another kind of machine.
    const inner = join(from, "node_modules");
    linkTree(from, join(directory, path), (file) => file === inner);
  }
}
