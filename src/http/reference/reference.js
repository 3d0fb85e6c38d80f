// Reads /openapi.json and lays it out; each operation can be tried from here.

/** An element with its properties and children; text is always text, never markup. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const document_ = await (await fetch("/openapi.json")).json();
const shown = document_.tags.map((tag) => ({
  tag,
  operations: Object.entries(document_.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag.name))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  ),
}));

document.querySelector("#about").textContent = document_.info.description;
const contents = shown.flatMap(({ operations }) =>
  operations.map(({ operation }) =>
    make("li", {}, make("a", { href: `#${operation.operationId}` }, operation.summary)),
  ),
);
document.querySelector("#contents").append(make("ul", {}, ...contents));
for (const { tag, operations } of shown) {
  const title = make("h2", {}, tag.name);
  const about = make("p", { className: "quiet" }, tag.description);
  document.querySelector("#operations").append(title, about, ...operations.map(articleOf));
}
// What the address names was not there yet when the page was opened.
document.getElementById(location.hash.slice(1))?.scrollIntoView();

function articleOf(entry) {
  const { path, method, operation } = entry;
  const article = make(
    "article",
    { id: operation.operationId },
    make("h3", {}, operation.summary),
    make("code", {}, `${method} ${path}`),
  );
  if (operation.description) article.append(make("p", {}, operation.description));
  if (operation.parameters) article.append(parametersOf(operation.parameters));
  article.append(answersOf(operation.responses), consoleOf(entry));
  return article;
}

function parametersOf(parameters) {
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    make(
      "tr",
      {},
      make("td", {}, make("code", {}, name), ` ${place}${required ? ", required" : ""}`),
      make("td", {}, description, " ", make("code", {}, JSON.stringify(schema))),
    ),
  );
  return make("table", {}, make("tbody", {}, ...rows));
}

function answersOf(responses) {
  const parts = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const [[type, { schema, example } = {}] = []] = Object.entries(content);
    const part = make("details", {}, make("summary", {}, `${status} ${description}`));
    if (example) part.append(make("pre", {}, textOf(example)));
    if (schema) part.append(make("pre", {}, `${type}\n${textOf(resolved(schema))}`));
    return part;
  });
  return make("details", {}, make("summary", {}, "Answers"), ...parts);
}

/** The schema with what it refers to put in its place. */
function resolved(schema) {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (typeof schema !== "object" || schema === null) return schema;
  if (typeof schema.$ref === "string")
    return resolved(document_.components.schemas[schema.$ref.split("/").at(-1)]);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value)]));
}

function consoleOf({ path, method, operation }) {
  const form = make("form", {});
  for (const { name, in: place, example, schema, required } of operation.parameters ?? []) {
    const value = String(example ?? schema.default ?? "");
    const input = make("input", { name, value, required });
    input.dataset.place = place;
    form.append(make("label", {}, name, input));
  }
  const body = operation.requestBody?.content["application/json"].example;
  if (body) {
    const input = make("textarea", { name: "body", rows: 5, value: textOf(body) });
    form.append(make("label", {}, "body", input));
  }
  const output = make("pre", { hidden: true });
  output.setAttribute("aria-live", "polite");
  form.append(make("button", {}, `Send ${method}`), output);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    output.hidden = false;
    send(form, { path, method, output }).catch((error) => {
      output.textContent = String(error);
    });
  });
  return make("details", {}, make("summary", {}, "Try it"), form);
}

async function send(form, { path, method, output }) {
  const headers = {};
  const query = new URLSearchParams();
  let target = path;
  for (const { name, value, dataset } of form.elements) {
    if (dataset.place === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
    if (value === "") continue;
    if (dataset.place === "query") query.set(name, value);
    if (dataset.place === "header") headers[name] = value;
  }
  const apiKey = document.querySelector("#api-key").value;
  if (apiKey !== "") headers["x-api-key"] = apiKey;
  const body = form.elements.namedItem("body")?.value;
  if (body !== undefined) headers["content-type"] = "application/json";
  const url = query.size === 0 ? target : `${target}?${query}`;
  const response = await fetch(url, { method, headers, body });
  output.textContent = `${response.status} ${url}\n`;
  for (const [name, value] of response.headers)
    if (/ratelimit|retry|chain|etag/.test(name)) output.textContent += `${name}: ${value}\n`;
  await show(response, output);
}

async function show(response, output) {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) {
    output.textContent += `\n${textOf(await response.json())}`;
    return;
  }
  const stream = response.body.pipeThrough(new TextDecoderStream());
  for await (const text of stream) output.textContent = (output.textContent + text).slice(-20_000);
}

function textOf(value) {
  return JSON.stringify(value, null, 2);
}
