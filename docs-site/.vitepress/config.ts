import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { defineConfig } from "vitepress";

const ROOT = join(import.meta.dirname, "..", "..");
/** The repository's pages that belong to the site; the build fails on a dead link between them. */
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "docs/**/*.md",
  "clients/*/README.md",
  "tools/packages/core-readme.md",
  "src/venues/*/README.md",
];

/** Folders of files that pages link to, copied beside the pages. VitePress links files of unknown kinds as pages. */
const FILES = ["examples", "deploy", "docs/operations"];
process.env.VITE_EXTRA_EXTENSIONS = "py,env,conf,yml,jsonl,service";

const pages = globSync(PAGES, { cwd: ROOT }).filter((path) => !path.includes("node_modules"));
const others = globSync("**/*.md", {
  cwd: ROOT,
  exclude: (path) => path.includes("node_modules"),
}).filter((path) => !pages.includes(path));

function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, path), "utf8"))?.[1] ?? basename(path, ".md");
}

function linksTo(paths: readonly string[]) {
  return paths.map((path) => ({
    text: titleOf(path),
    link: `/${path.replace(/(?:index)?\.md$/, "")}`,
  }));
}

const inFolder = (folder: string) =>
  pages.filter((path) => dirname(path) === folder && !path.endsWith("index.md")).toSorted();
const venues = pages.filter((path) => path.startsWith("src/venues/")).toSorted();

export default defineConfig({
  title: "Exitability",
  description: "What selling a Solana token now would really pay",
  srcDir: "..",
  outDir: "./dist",
  cacheDir: "./cache",
  srcExclude: others,
  // Files and folders of the repository that are not pages, and local services.
  ignoreDeadLinks: [
    (link) => [ROOT, join(ROOT, "docs")].some((folder) => existsSync(join(folder, link))),
    /^https?:\/\/(?:localhost|127\.0\.0\.1)\b/,
  ],
  markdown: { html: false },
  // Pages keep their paths, so that the repository's links work; the root redirects to docs/index.md.
  buildEnd({ outDir }) {
    const target = '<meta http-equiv="refresh" content="0; url=docs/">';
    writeFileSync(join(outDir, "index.html"), `<!doctype html><title>Exitability</title>${target}`);
    for (const path of FILES) cpSync(join(ROOT, path), join(outDir, path), { recursive: true });
  },
  // The pages are outside this package: without the alias, vue is not found from there.
  vite: { resolve: { alias: { vue: join(import.meta.dirname, "..", "node_modules", "vue") } } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/README" },
      { text: "API", link: "/docs/api" },
      { text: "Operation", link: "/docs/operations" },
    ],
    sidebar: [
      { text: "Start", items: linksTo(["README.md", "docs/concepts.md"]) },
      {
        text: "Integrate",
        items: linksTo([
          "docs/api.md",
          "docs/webhooks.md",
          "docs/agents.md",
          "docs/errors/index.md",
          "clients/typescript/README.md",
          "docs/python.md",
          "tools/packages/core-readme.md",
          "docs/export.md",
        ]),
      },
      {
        text: "Operate",
        items: linksTo([
          "docs/configuration.md",
          "docs/operations.md",
          "docs/image.md",
          "docs/operations-backup.md",
          "docs/scale.md",
          "docs/scale-runs.md",
        ]),
      },
      {
        text: "Trust",
        items: linksTo([
          "docs/accuracy.md",
          "docs/adversary.md",
          "docs/detection.md",
          "docs/abuse.md",
          "docs/first-hours.md",
        ]),
      },
      { text: "Venues", collapsed: true, items: linksTo(venues) },
      { text: "Error codes", collapsed: true, items: linksTo(inFolder("docs/errors")) },
      {
        text: "Develop",
        collapsed: true,
        items: linksTo([
          "CONTRIBUTING.md",
          "docs/decisions/index.md",
          ...inFolder("docs/decisions"),
        ]),
      },
    ],
  },
});
