// Reads /openapi.json and lays it out; each operation can be tried from here.

/** An element with its properties and children; text is always text, never markup. */
function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Text as it stands; it can be scrolled from the keyboard too. */
function block(text, properties = {}) {
  return make("pre", { tabIndex: 0, ...properties }, text);
}

const reference = await (await fetch("/openapi.json")).json();
const { schemas } = reference.components;
/** Headers that every answer has: they are said once, at the top of the document. */
const EVERYWHERE = ["X-Request-Id", "X-Chain", "Cache-Control", "Vary"];
const FIELD_LEVELS = 3;

const groups = reference.tags.map((tag) => ({
  tag,
  entries: Object.entries(reference.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag.name))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  ),
}));

document.querySelector("#about").textContent = reference.info.description;
document.querySelector("#credentials").addEventListener("submit", (event) => {
  event.preventDefault();
});
const contents = document.querySelector("#contents");
contents.open = matchMedia("(min-width: 56rem)").matches;
for (const { tag, entries } of groups) {
  contents.append(
    make("p", { className: "group" }, tag.name),
    make("ul", {}, ...entries.map(linkTo)),
  );
  document
    .querySelector("#operations")
    .append(
      make("h2", {}, tag.name),
      make("p", { className: "quiet" }, tag.description),
      ...entries.map(articleOf),
    );
}
// What the address names was not there yet when the page was opened.
document.getElementById(location.hash.slice(1))?.scrollIntoView();

function linkTo({ method, operation }) {
  const link = make(
    "a",
    { href: `#${operation.operationId}` },
    methodOf(method),
    operation.summary,
  );
  return make("li", {}, link);
}

function methodOf(method) {
  return make("span", { className: `method ${method.toLowerCase()}` }, method);
}

function articleOf(entry) {
  const { path, method, operation } = entry;
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  const address = make("p", { className: "address" }, methodOf(method), make("code", {}, path));
  address.append(make("span", { className: "access" }, accessOf(operation)));
  const article = make("article", { id }, make("h3", {}, summary), address);
  if (description) article.append(make("p", {}, description));
  if (parameters.length > 0) article.append(make("h4", {}, "Parameters"), tableOf(parameters));
  const body = requestBody?.content["application/json"].schema;
  if (body) article.append(make("h4", {}, "Body"), fieldsOf(body));
  article.append(answersOf(operation.responses), consoleOf(entry));
  return article;
}

function accessOf({ security }) {
  if (security.length === 0) return "for anyone";
  const mayBeNobody = security.some((way) => Object.keys(way).length === 0);
  return mayBeNobody ? "for anyone; API key or session" : "for who is signed in";
}

function tableOf(parameters) {
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    rowOf({ name, note: `${place}${required ? ", required" : ""}`, schema, description }),
  );
  return make("table", { className: "fields" }, make("tbody", {}, ...rows));
}

/** A table of a body's fields, those of objects within it below them. */
function fieldsOf(schema) {
  const rows = rowsOf(schema, 0);
  if (rows.length === 0) return make("p", {}, make("code", {}, typeOf(schema)));
  return make("table", { className: "fields" }, make("tbody", {}, ...rows));
}

function rowsOf(schema, depth) {
  const { properties = {}, required = [] } = objectIn(schema);
  return Object.entries(properties).flatMap(([name, field]) => {
    const note = required.includes(name) ? "" : "optional";
    const { description } = resolved(field);
    const row = rowOf({ name, note, schema: field, description, depth });
    return depth < FIELD_LEVELS ? [row, ...rowsOf(field, depth + 1)] : [row];
  });
}

function rowOf({ name, note, schema, description, depth = 0 }) {
  const about = make("td", {}, make("code", {}, typeOf(schema)));
  if (description) about.append(make("p", {}, description));
  const heading = make("th", { scope: "row", className: `deep${depth}` }, make("code", {}, name));
  if (note) heading.append(" ", make("small", {}, note));
  return make("tr", {}, heading, about);
}

/** The object that a schema describes, in a list or beside null too. */
function objectIn(schema) {
  const { items, anyOf, ...rest } = resolved(schema);
  if (rest.properties) return rest;
  if (items) return objectIn(items);
  return anyOf?.map(objectIn).find(({ properties }) => properties) ?? {};
}

function resolved(schema) {
  return typeof schema.$ref === "string" ? schemas[schema.$ref.split("/").at(-1)] : schema;
}

/** What a value may be, in words. */
function typeOf(schema) {
  const known = resolved(schema);
  if (known.const !== undefined) return JSON.stringify(known.const);
  if (known.enum) return known.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (known.anyOf && !known.properties) return [...new Set(known.anyOf.map(typeOf))].join(" | ");
  if (known.type === "array") return `list of ${typeOf(known.items ?? {})}`;
  const { type = "anything", format, minimum, maximum, default: usual } = known;
  const parts = [format ? `${type} (${format})` : type];
  if (minimum !== undefined && maximum !== undefined) parts.push(`${minimum} to ${maximum}`);
  else if (minimum !== undefined) parts.push(`at least ${minimum}`);
  if (usual !== undefined) parts.push(`default ${usual}`);
  return parts.join(", ");
}

function answersOf(responses) {
  const entries = Object.entries(responses);
  const good = entries.filter(([status]) => Number(status) < 400).map(answerOf);
  const refusals = entries
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description, content = {} }]) => {
      const row = make("td", {}, make("code", {}, description));
      const schema = content["application/json"]?.schema;
      // Most say a code and a sentence; what says more shows its fields.
      if (schema && Object.keys(objectIn(schema).properties ?? {}).length > 2)
        row.append(make("details", {}, make("summary", {}, "Its fields"), fieldsOf(schema)));
      return make("tr", {}, make("th", { scope: "row" }, status), row);
    });
  return make(
    "details",
    {},
    make("summary", {}, "Answers"),
    ...good,
    make("h4", {}, "Refusals: error, a code of these, and message, a sentence"),
    make("table", {}, make("tbody", {}, ...refusals)),
  );
}

function answerOf([status, { description, headers = {}, content = {} }]) {
  const [[type, { schema, example }] = [undefined, {}]] = Object.entries(content);
  const part = make("div", {}, make("h4", {}, `${status} ${description}`));
  const own = Object.keys(headers).filter((name) => !EVERYWHERE.includes(name));
  if (own.length > 0) part.append(make("p", { className: "quiet" }, `Headers: ${own.join(", ")}`));
  if (type === undefined) return part;
  if (type !== "application/json") part.append(make("p", { className: "quiet" }, type));
  else part.append(fieldsOf(schema));
  if (example) part.append(block(textOf(example)));
  return part;
}

function consoleOf(entry) {
  const { method, operation } = entry;
  const form = make("form", {});
  for (const parameter of operation.parameters ?? []) form.append(...inputOf(entry, parameter));
  const body = operation.requestBody?.content["application/json"].example;
  if (body) {
    const id = `${operation.operationId}-body`;
    const value = textOf(body);
    const rows = value.split("\n").length;
    form.append(
      make("label", { htmlFor: id }, "body"),
      make("textarea", { id, name: "body", rows, value, spellcheck: false }),
    );
  }
  const output = block("", { hidden: true, className: "wrapped" });
  output.setAttribute("aria-live", "polite");
  const stop = make("button", { type: "button", className: "plain", hidden: true }, "Stop");
  const buttons = make("div", { className: "buttons" }, make("button", {}, `Send ${method}`), stop);
  const command = block(commandOf(requestOf(form, entry)), { className: "wrapped" });
  form.append(make("h4", {}, "In a shell"), command, buttons, output);
  form.addEventListener("input", () => {
    command.textContent = commandOf(requestOf(form, entry));
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(requestOf(form, entry), { output, stop }).catch((error) => {
      output.textContent += `\n${error.name === "AbortError" ? "Stopped." : error}`;
    });
  });
  return make("details", {}, make("summary", {}, "Try it"), form);
}

/** A parameter's label and field: a choice where its values are known. */
function inputOf({ operation }, { name, in: place, example, schema, required }) {
  const id = `${operation.operationId}-${name}`;
  const value = String(example ?? schema.default ?? "");
  const input = schema.enum
    ? make("select", { id, name }, ...schema.enum.map((each) => make("option", {}, each)))
    : make("input", { id, name, required, spellcheck: false });
  input.value = value;
  input.dataset.place = place;
  return [make("label", { htmlFor: id }, name), input];
}

/** The request that a form describes. */
function requestOf(form, { path, method }) {
  const headers = {};
  const query = new URLSearchParams();
  let target = path;
  for (const { name, value, dataset } of form.elements) {
    if (dataset.place === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
    if (value === "") continue;
    if (dataset.place === "query") query.set(name, value);
    if (dataset.place === "header") headers[name] = value;
  }
  const body = form.elements.namedItem("body")?.value;
  if (body !== undefined) headers["content-type"] = "application/json";
  return { method, headers, body, url: query.size === 0 ? target : `${target}?${query}` };
}

function commandOf({ method, headers, body, url }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = ["curl", ...(method === "GET" ? [] : ["-X", method])];
  for (const [name, value] of Object.entries(headers))
    parts.push("-H", quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push("--data", quoted(body.replaceAll(/\n\s*/g, " ")));
  return [...parts, quoted(location.origin + url)].join(" ");
}

async function send({ method, headers, body, url }, { output, stop }) {
  const apiKey = document.querySelector("#api-key").value;
  const abort = new AbortController();
  const ownHeaders = apiKey === "" ? headers : { ...headers, "x-api-key": apiKey };
  output.hidden = false;
  output.textContent = "…";
  stop.onclick = () => abort.abort();
  stop.hidden = false;
  try {
    const { signal } = abort;
    const response = await fetch(url, { method, headers: ownHeaders, body, signal });
    output.textContent = `${response.status} ${url}\n`;
    for (const [name, value] of response.headers)
      if (/ratelimit|retry|chain|etag|allow/.test(name))
        output.textContent += `${name}: ${value}\n`;
    await show(response, output);
  } finally {
    stop.hidden = true;
  }
}

async function show(response, output) {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) {
    output.textContent += `\n${textOf(await response.json())}`;
    return;
  }
  if (response.body === null) return;
  const stream = response.body.pipeThrough(new TextDecoderStream());
  for await (const text of stream) output.textContent = (output.textContent + text).slice(-20_000);
}

function textOf(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
