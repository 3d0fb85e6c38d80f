/**
 * The dashboard's frame around Swagger UI: its header with the same pages, the reader's language, and
 * the reader's theme. Swagger UI serves one HTML page of its own; a script and a style sheet are what it
 * lets a service add.
 */

export const FRAME_SCRIPT = `
const kept = (name) => {
  try { return localStorage.getItem("exitability." + name); } catch { return null; }
};
const language = [kept("language"), ...navigator.languages]
  .map((tag) => String(tag).slice(0, 2).toLowerCase())
  .find((tag) => tag === "es" || tag === "en") ?? "es";
const words = language === "en"
  ? { skip: "Skip to content", menu: "Sections", pages: ["Measure", "Watchlist", "Alerts", "API", "Method", "Status"] }
  : { skip: "Ir al contenido", menu: "Secciones", pages: ["Medir", "Seguimiento", "Alertas", "API", "Método", "Estado"] };
const paths = ["/", "/watchlist", "/alerts", "/api-keys", "/method", "/status"];

const viewport = document.createElement("meta");
viewport.name = "viewport";
viewport.content = "width=device-width, initial-scale=1";
document.head.append(viewport);

function link(className, href, text) {
  const element = document.createElement("a");
  element.className = className;
  element.href = href;
  element.textContent = text;
  return element;
}
const header = document.createElement("header");
header.className = "frame";
const brand = link("frame-brand", "/", "Exitability");
const icon = document.createElement("img");
icon.src = "/icon.svg";
icon.alt = "";
brand.prepend(icon);
const nav = document.createElement("nav");
nav.lang = language;
nav.setAttribute("aria-label", words.menu);
for (const [index, path] of paths.entries()) nav.append(link("", path, words.pages[index]));
header.append(link("frame-skip", "#swagger-ui", words.skip), brand, nav);
document.body.prepend(header);

const dark = matchMedia("(prefers-color-scheme: dark)");
const apply = () => {
  const theme = kept("theme");
  const isDark = theme === "dark" || (theme !== "light" && dark.matches);
  document.documentElement.classList.toggle("dark-mode", isDark);
};
dark.addEventListener("change", apply);
apply();
`;

/** The colours and measures of web/src/app/tokens.css and shell.css. */
export const FRAME_STYLE = `
body { font-family: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; background: #f7f6f3; }
.frame { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 1rem; padding: 0.5rem clamp(1rem, 4vw, 2rem); background: #ffffff; border-bottom: 1px solid #dcd8d0; }
.frame nav { display: flex; flex-wrap: wrap; gap: 0.1rem; }
.frame a { display: inline-flex; align-items: center; gap: 0.6rem; min-height: 2.75rem; padding: 0.2rem 0.7rem; border-radius: 8px; color: #57534c; text-decoration: none; font-size: 0.95rem; }
.frame a:hover { background: #efede8; color: #1c1b19; }
.frame a:focus-visible { outline: 3px solid #0f6b63; outline-offset: 2px; }
.frame .frame-brand { padding-inline: 0; font-size: 1rem; font-weight: 700; color: #1c1b19; }
.frame-brand img { width: 1.7rem; height: 1.7rem; }
.frame .frame-skip { position: absolute; left: -999rem; }
.frame .frame-skip:focus { left: 1rem; background: #ffffff; }
.dark-mode body { background: #14151a; }
.dark-mode .frame { background: #1c1e24; border-color: #32353e; }
.dark-mode .frame a { color: #aeaba3; }
.dark-mode .frame a:hover { background: #101116; color: #eceae5; }
.dark-mode .frame .frame-brand { color: #eceae5; }
.dark-mode .frame .frame-skip:focus { background: #1c1e24; }
`;
