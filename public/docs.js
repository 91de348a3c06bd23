/** Writes the API reference from openapi.json; texts only ever become text. */

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

/** Turns `code` in a text into code elements. */
const prose = (text = "") =>
  text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? make("code", "", part) : part));

const nameOf = (schema) => schema.$ref?.split("/").at(-1);

/** Names a schema's type in a few words, such as `integer or null` or `list of Row`. */
const typeOf = (schema) => {
  if (schema.$ref) return nameOf(schema);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type == "array") return "list of " + typeOf(schema.items);
  if (schema.type != "object") return schema.type ?? "any";
  return schema.additionalProperties ? "object of " + typeOf(schema.additionalProperties) : "object";
};

/** Says what bounds a value has, as far as a schema tells. */
const bounds = ({ minimum, maximum, maxLength, pattern, default: usual }) =>
  [
    minimum != null && maximum != null && `${minimum.toLocaleString()} to ${maximum.toLocaleString()}`,
    maxLength != null && `at most ${maxLength} characters`,
    pattern && `matches \`${pattern}\``,
    usual != null && `by default \`${usual}\``,
  ].filter(Boolean);

const field = (name, schema, description, needed) => {
  const said = [description, bounds(schema).join(", ")].filter(Boolean).join(" — ");
  const term = make("dt", "", name, needed ? make("span", "needed", " required") : "", make("span", "type", typeOf(schema)));
  return make("div", "", term, make("dd", "", ...prose(said)));
};

const fields = (schema, whole) =>
  make(
    "dl",
    "",
    ...Object.entries(schema.properties).map(([name, property]) =>
      field(name, property, property.description, whole ? schema.required?.includes(name) : false),
    ),
  );

/** Lists the models an answer is made of, each only once. */
const models = (schemas, schema, seen = new Set()) => {
  const name = nameOf(schema);
  if (name && !seen.has(name)) {
    seen.add(name);
    models(schemas, schemas[name], seen);
  }
  for (const part of [...(schema.anyOf ?? []), schema.items, ...Object.values(schema.properties ?? {})]) {
    if (part) models(schemas, part, seen);
  }
  return seen;
};

const body = (schemas, { content }) => {
  const { schema, example } = content["application/json"];
  return [make("h3", "", "Body"), fields(schemas[nameOf(schema)], true), make("pre", "", JSON.stringify(example, null, 2))];
};

const answer = (schemas, { description, content }) => {
  const { schema } = content["application/json"];
  const parts = [...models(schemas, schema)].map((name) =>
    make("details", "", make("summary", "", name), make("p", "soft", ...prose(schemas[name].description)), fields(schemas[name])),
  );
  return [make("h3", "", "Answer"), make("p", "", ...prose(description)), ...parts];
};

const errors = (responses) => {
  const rows = Object.entries(responses).filter(([status]) => status >= 300);
  const list = rows.map(([status, { description }]) => {
    const lines = description.split("\n").map((line) => make("li", "", ...prose(line.replace(/^- /, ""))));
    return make("div", "", make("dt", "", status), make("dd", "", make("ul", "", ...lines)));
  });
  return [make("h3", "", "Other answers"), make("dl", "", ...list)];
};

const operation = (schemas, path, method, described) => {
  const { parameters = [], requestBody, responses } = described;
  const title = make("h2", "", make("span", "method", method.toUpperCase()), make("span", "path", path));
  const section = make(
    "section",
    "card",
    title,
    make("p", "", make("strong", "", described.summary + ". "), ...prose(described.description)),
    ...(parameters.length ? [make("h3", "", "Parameters")] : []),
    make("dl", "", ...parameters.map((p) => field(p.name, p.schema, p.description, p.required))),
    ...(requestBody ? body(schemas, requestBody) : []),
    ...answer(schemas, responses[200]),
    ...errors(responses),
  );
  section.id = described.operationId;
  return section;
};

const link = (href, text) => Object.assign(make("a", "", text), { href });

const { info, paths, components } = await (await fetch("/openapi.json")).json();
document.getElementById("intro").prepend(make("p", "lead", ...prose(info.description)));
for (const [path, methods] of Object.entries(paths)) {
  for (const [method, described] of Object.entries(methods)) {
    document.getElementById("contents").append(link("#" + described.operationId, `${method.toUpperCase()} ${path}`));
    document.getElementById("operations").append(operation(components.schemas, path, method, described));
  }
}
const problem = make("section", "card", make("h2", "", "Problems"), make("p", "", ...prose(components.schemas.Problem.description)));
problem.append(fields(components.schemas.Problem));
problem.id = "problems";
document.getElementById("contents").append(link("#problems", "Problems"));
document.getElementById("operations").append(problem);
if (location.hash) document.querySelector(location.hash)?.scrollIntoView();
