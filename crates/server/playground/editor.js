// The constraint's editor: a text area over a backdrop that has the marks, with numbers of lines beside it.

const $ = (id) => document.getElementById(id);

export class Editor {
  constructor() {
    this.area = $("source");
    this.backdrop = $("backdrop");
    this.gutter = $("gutter");
    this.notes = [];
    this.area.addEventListener("scroll", () => this.scroll());
    this.area.addEventListener("input", () => this.draw([]));
    this.area.addEventListener("keydown", (event) => this.indent(event));
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.draw([]);
  }

  // Two spaces for Tab; Escape and then Tab leaves the editor, as keyboards need.
  indent(event) {
    if (event.key === "Escape") {
      this.leaving = true;
    } else if (event.key === "Tab" && !event.shiftKey && !this.leaving) {
      event.preventDefault();
      this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    } else if (event.key !== "Shift") {
      this.leaving = false;
    }
  }

  scroll() {
    this.backdrop.scrollTop = this.gutter.scrollTop = this.area.scrollTop;
    this.backdrop.scrollLeft = this.area.scrollLeft;
  }

  // Where a line and a column are in the text. Columns count characters, not code units.
  offset(line, column) {
    const lines = this.text.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    return start + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  }

  // From there to the end of the word, string or value that begins there.
  range(note) {
    const start = this.offset(note.line, note.column);
    const rest = this.text.slice(start).split("\n")[0];
    const word = rest.match(/^"(?:[^"\\]|\\.)*"?(?:\s*:\s*(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+))?|^[\w$-]+|^./u);
    return [start, start + Math.max(1, word ? word[0].length : 0)];
  }

  draw(notes) {
    this.notes = notes.filter((note) => note.line);
    const lines = this.text.split("\n").length;
    this.gutter.replaceChildren();
    for (let line = 1; line <= lines; line++) {
      const here = this.notes.find((note) => note.line === line);
      const number = document.createElement("div");
      number.textContent = here ? `● ${line}` : line;
      number.className = here ? (here.warning ? "warned" : "bad") : "";
      this.gutter.append(number);
    }
    this.marks();
    this.scroll();
  }

  marks() {
    const parts = [];
    let done = 0;
    for (const note of [...this.notes].sort((a, b) => a.line - b.line || a.column - b.column)) {
      const [start, end] = this.range(note);
      if (start < done) continue;
      const mark = document.createElement("mark");
      mark.textContent = this.text.slice(start, end) || " ";
      mark.className = note.warning ? "warned" : "";
      parts.push(this.text.slice(done, start), mark);
      done = end;
    }
    // A last line break would have no height.
    this.backdrop.replaceChildren(...parts, this.text.slice(done) + "\n");
  }

  goTo(note) {
    const [start, end] = this.range(note);
    this.area.focus();
    this.area.setSelectionRange(start, end);
  }
}
