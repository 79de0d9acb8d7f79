// The playground: an editor that is checked while one types, a model that writes, and what there is to see of it.

import { Chips } from "./chips.js";
import { draw } from "./chart.js";
import { Editor } from "./editor.js";
import { EXAMPLES } from "./examples.js";

const $ = (id) => document.getElementById(id);
const editor = new Editor();
const chips = new Chips();
const kept = {};
let checking = null;
let running = null;

const kind = () => document.querySelector('input[name="kind"]:checked').value;

function headers() {
  const key = $("key").value;
  return { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
}

async function post(path, body, signal) {
  const response = await fetch(path, { method: "POST", headers: headers(), body: JSON.stringify(body), signal });
  if (response.ok) return response;
  if (response.status === 401) {
    $("key-field").hidden = false;
    $("key").focus();
  }
  const error = await response.json().catch(() => null);
  throw new Error(error?.error?.message ?? `the server answered with status ${response.status}`);
}

// Diagnostics ------------------------------------------------------------------------------------

function checkSoon() {
  clearTimeout(checking);
  checking = setTimeout(check, 180);
}

async function check() {
  const [kindNow, source] = [kind(), editor.text];
  if (kindNow === "none") return say([]);
  try {
    const response = await post("/playground/check", { kind: kindNow, source });
    const found = await response.json();
    if (kindNow === kind() && source === editor.text) report(found);
  } catch (error) {
    say([Object.assign(document.createElement("p"), { textContent: error.message })]);
  }
}

function say(parts) {
  $("diagnostics").replaceChildren(...parts);
}

function report(found) {
  const warnings = found.warnings.map((note) => ({ ...note, warning: true }));
  const notes = [...found.errors, ...warnings];
  editor.draw(notes);
  $("source").setAttribute("aria-invalid", String(!found.ok));
  const parts = notes.map(diagnostic);
  if (found.ok) {
    const good = document.createElement("p");
    good.className = "good";
    good.textContent = `✓ Compiled in ${(found.compile_us / 1000).toFixed(2)} ms`;
    parts.push(good);
    if (found.examples.length) parts.push(samples(found.examples));
  }
  say(parts);
}

function samples(list) {
  const line = document.createElement("p");
  line.className = "samples";
  line.append("Matches ");
  for (const text of list) {
    const code = document.createElement("code");
    code.textContent = text.length > 70 ? `${text.slice(0, 69)}…` : text;
    line.append(code);
  }
  return line;
}

function diagnostic(note) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = note.warning ? "warned" : "";
  const where = document.createElement("span");
  where.className = "where";
  where.textContent = [note.line ? `${note.line}:${note.column}` : "", note.pointer ?? ""].filter(Boolean).join("  ");
  button.append(where, note.message);
  if (note.line) button.addEventListener("click", () => editor.goTo(note));
  return button;
}

// Examples ---------------------------------------------------------------------------------------

function choose(kindNow, index) {
  const example = EXAMPLES[kindNow][index];
  editor.text = example.source;
  $("prompt").value = example.prompt;
  checkSoon();
}

function kindChanged(before) {
  const now = kind();
  if (before) kept[before] = { source: editor.text, prompt: $("prompt").value };
  $("example").replaceChildren(...EXAMPLES[now].map((example, index) => new Option(example.name, index)));
  $("editor").classList.toggle("off", now === "none");
  $("source").disabled = now === "none";
  if (kept[now]) {
    editor.text = kept[now].source;
    $("prompt").value = kept[now].prompt;
    checkSoon();
  } else {
    choose(now, 0);
  }
  $("editor").dataset.kind = now;
}

// Generating -------------------------------------------------------------------------------------

function request() {
  const number = (id) => Number($(id).value);
  return {
    kind: kind(),
    source: editor.text,
    prompt: $("prompt").value,
    temperature: number("temperature"),
    top_p: number("top_p"),
    max_tokens: Math.round(number("max_tokens")),
    seed: Math.round(number("seed")),
    every_pass: $("every_pass").checked,
  };
}

async function* lines(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) if (part.startsWith("data: ")) yield JSON.parse(part.slice(6));
  }
}

function outcome(text, state) {
  $("outcome").className = `outcome ${state ?? ""}`;
  $("outcome").textContent = text;
}

async function generate() {
  running?.abort();
  const own = (running = new AbortController());
  chips.clear();
  $("text").textContent = "";
  outcome("Reading the prompt …");
  $("generate").disabled = true;
  $("stop").hidden = false;
  draw($("chart"), $("chart-words"), []);
  try {
    const response = await post("/playground/generate", request(), own.signal);
    for await (const line of lines(response)) take(line);
  } catch (error) {
    outcome(error.name === "AbortError" ? "Stopped." : error.message, error.name === "AbortError" ? "" : "bad");
  }
  if (running === own) {
    $("generate").disabled = false;
    $("stop").hidden = true;
    draw($("chart"), $("chart-words"), chips.tokens);
  }
}

function take(line) {
  if (line.type === "begin") {
    chips.vocabulary = line.vocabulary;
  } else if (line.type === "tokens") {
    outcome("Writing …");
    line.tokens.forEach((token) => chips.add(token));
    $("text").textContent += line.text;
    if (chips.tokens.length % 4 === 0) draw($("chart"), $("chart-words"), chips.tokens);
  } else if (line.type === "error") {
    outcome(line.message, "bad");
  } else if (line.type === "end") {
    finished(line);
  }
}

function finished(line) {
  const forced = line.jumped ? `, ${line.jumped} of them forced` : "";
  const words = `${line.written} tokens${forced}, ${line.rate.toFixed(0)} a second`;
  if (line.finish === "length") return outcome(`Cut off: the tokens ran out after ${words}.`, "bad");
  outcome("");
  const good = document.createElement("span");
  good.className = "good";
  good.textContent = kind() === "none" ? "Done" : "✓ Complete";
  $("outcome").append(good, ` · ${words}`);
}

// Wiring -----------------------------------------------------------------------------------------

$("source").addEventListener("input", checkSoon);
$("kinds").addEventListener("change", () => kindChanged($("editor").dataset.kind));
$("example").addEventListener("change", () => choose(kind(), Number($("example").value)));
$("stop").addEventListener("click", () => running?.abort());
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  generate();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    $("form").requestSubmit();
  }
});

window.addEventListener("resize", () => draw($("chart"), $("chart-words"), chips.tokens));

kindChanged(null);
draw($("chart"), $("chart-words"), []);
fetch("/health")
  .then((response) => response.json())
  .then((health) => ($("model").textContent = health.model ?? ""))
  .catch(() => ($("model").textContent = "the server is not there"));
