// The tokens of the text as chips, and what there is to say about one of them.

const $ = (id) => document.getElementById(id);

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A token's text, with blanks that can be seen.
function visible(text) {
  return text.replaceAll(" ", "·").replaceAll("\n", "↵").replaceAll("\t", "⇥");
}

function written(text) {
  const parts = [];
  for (const part of text.split(/([ \n\t])/)) {
    if (!part) continue;
    parts.push(/[ \n\t]/.test(part) ? element("span", "blank", visible(part)) : part);
    if (part === "\n") parts.push(document.createElement("br"));
  }
  return parts;
}

// What stands between backticks is code.
function coded(text) {
  return text.split(/`(.+?)`(?!`)/).map((part, index) => (index % 2 ? element("code", "", part) : part));
}

export function percent(part) {
  if (part === undefined || part === null) return "–";
  if (part > 0.9995) return "100\u00a0%";
  if (part >= 0.001) return `${(part * 100).toFixed(1)}\u00a0%`;
  return part === 0 ? "0" : "<\u00a00.1\u00a0%";
}

export function time(us) {
  if (us < 1000) return `${us.toFixed(us < 10 ? 1 : 0)} µs`;
  return us < 1e6 ? `${(us / 1000).toFixed(us < 1e4 ? 1 : 0)} ms` : `${(us / 1e6).toFixed(2)} s`;
}

export class Chips {
  constructor() {
    this.place = $("output");
    this.panel = $("token");
    this.place.addEventListener("keydown", (event) => this.move(event));
    this.clear();
  }

  clear() {
    this.tokens = [];
    this.current = null;
    this.vocabulary = 0;
    this.place.replaceChildren();
    this.panel.replaceChildren(element("p", "empty", "Point at a token, or move to it with the keyboard."));
  }

  add(token) {
    const index = this.tokens.push(token) - 1;
    const chip = element("button", `chip ${token.origin}`, ...written(token.text));
    chip.type = "button";
    chip.tabIndex = index === 0 ? 0 : -1;
    if (token.special) chip.classList.add("special");
    // The likeliest token of the model was refused.
    if (token.refused?.some((one) => one.probability > (token.before ?? 0))) chip.classList.add("changed");
    if (token.after !== undefined) chip.style.setProperty("--p", token.after);
    chip.setAttribute("aria-label", this.label(token));
    for (const event of ["focus", "mouseenter", "click"]) chip.addEventListener(event, () => this.show(index));
    this.place.append(chip);
    this.place.scrollTop = this.place.scrollHeight;
  }

  label(token) {
    const how = { sampled: "", forced: ", forced", steered: ", led to the end" }[token.origin];
    const likely = token.after === undefined ? "" : `, ${percent(token.after)} after the mask`;
    return `${visible(token.text)}${how}${likely}`;
  }

  move(event) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -1e9, End: 1e9 };
    const step = steps[event.key];
    if (step === undefined || this.tokens.length === 0) return;
    event.preventDefault();
    const next = Math.min(this.tokens.length - 1, Math.max(0, (this.current ?? -1) + step));
    this.place.querySelectorAll(".chip")[next]?.focus();
  }

  show(index) {
    const chips = this.place.querySelectorAll(".chip");
    if (this.current !== null && chips[this.current]) {
      chips[this.current].removeAttribute("aria-current");
      chips[this.current].tabIndex = -1;
    }
    this.current = index;
    chips[index].setAttribute("aria-current", "true");
    chips[index].tabIndex = 0;
    this.panel.replaceChildren(...this.describe(this.tokens[index], index));
  }

  describe(token, index) {
    const name = element(
      "div",
      "name",
      element("strong", "", visible(token.text) || "(nothing)"),
      element("span", "quiet", `token ${token.id}, number ${index + 1}`),
    );
    if (token.origin === "forced" && token.before === undefined) {
      const words = "Forced: the constraint left nothing else to write, so the model was not asked.";
      return [name, element("p", "", words)];
    }
    const parts = [name, this.bars(token)];
    const origins = { forced: "Forced: nothing else could be written. ", steered: "The tokens were running out: this leads to the end. " };
    const allowed = `${token.allowed.toLocaleString("en")} of ${this.vocabulary.toLocaleString("en")} tokens allowed`;
    const times = `mask ${time(token.mask_us)}, model ${time(token.model_us)}`;
    parts.push(element("p", "quiet", `${origins[token.origin] ?? ""}${allowed} · ${times}`));
    if (token.refused?.length) parts.push(element("p", "", "Strongest refused:"), this.refusals(token.refused));
    else parts.push(element("p", "quiet", "None of the model's likeliest tokens was refused."));
    return parts;
  }

  bars(token) {
    const bars = element("div", "bars");
    for (const [words, value, kind] of [["before the mask", token.before, ""], ["after the mask", token.after, "after"]]) {
      const fill = element("div", `fill ${kind}`);
      fill.style.width = `${Math.max(0, Math.min(1, value ?? 0)) * 100}%`;
      bars.append(element("span", "quiet", words), element("div", "track", fill), element("span", "number", percent(value)));
    }
    return bars;
  }

  refusals(list) {
    const items = list.map((one) =>
      element(
        "li",
        "",
        element("code", "", visible(one.text)),
        element("span", "number", percent(one.probability)),
        element("span", "why", ...coded(one.why)),
      ),
    );
    return element("ul", "refusals", ...items);
  }
}
