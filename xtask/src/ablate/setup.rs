//! What the measurement needs: the command that goes through the workloads, the workloads, the tables of the vocabulary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::process::run;

/// The workloads that are counted, in this order and in one process: what they share is cold for the first of them.
const COUNTED: [&str; 5] = ["schemas", "shapes", "micro", "grammars", "patterns"];

/// The workload of cases that take more than ten times what others do. One of them takes callgrind a minute, so they are
/// timed; their steps take milliseconds.
pub(super) const CLIFFS: &str = "cliffs";

/// All micro-cases, those that are cliffs among them.
const MICRO: &str = "all-micro";

/// Its cases, by the names that they have elsewhere. Without them no case has more than a twentieth of its workload.
const CLIFF_CASES: [&str; 14] = [
    "coverage",
    "pattern/19",
    "pattern/54",
    "pattern/178",
    "pattern/202",
    "pattern/296",
    "pattern/304",
    "pattern/860",
    "pattern/1046",
    "allOf of anyOf/8",
    "search patterns together/8",
    "patternProperties/8",
    "pattern with lengths/8",
    "recursive union/8",
];

/// Of the cases that are there, every so many-th is taken, and no more than so many.
const SCHEMAS: (usize, usize) = (2, 300);
const PATTERNS: (usize, usize) = (8, 150);

/// Of so many timings of a step that is explained the best counts.
const ROUNDS: &str = "5";

/// Python packages that make the cases.
const PACKAGES: [&str; 4] = ["tokenizers", "tiktoken", "exrex", "jsonschema"];

/// A way of the engine that can be turned off.
pub(super) struct Way {
    pub(super) name: String,
    pub(super) what: String,
}

/// Files and folders of a measurement.
pub(super) struct Places {
    root: PathBuf,
    /// All of it.
    folder: PathBuf,
    /// The command.
    pub(super) runner: PathBuf,
    /// Where results go.
    pub(super) results: PathBuf,
    /// Those of the workloads that are asked for, if not all are.
    workloads: Vec<String>,
    /// Of large workloads, only every so many-th case is taken.
    nth: usize,
    /// The ways that are off throughout.
    without: Vec<String>,
}

impl Places {
    /// The places below the target folder.
    pub(super) fn new(root: &Path, workloads: &[String], nth: usize, without: &[String]) -> Places {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = target.join("ablate");
        let mut results = "results".to_owned();
        workloads.iter().for_each(|name| results += &format!("-{name}"));
        if nth > 1 {
            results += &format!("-{nth}");
        }
        without.iter().for_each(|name| results += &format!("-without-{}", file_name(name)));
        Places {
            root: root.to_owned(),
            runner: target.join("conformance/ablation"),
            results: folder.join(results),
            folder,
            workloads: workloads.to_vec(),
            nth,
            without: without.to_vec(),
        }
    }

    /// Whether all of the workloads are asked for, with everything on.
    pub(super) fn is_whole(&self) -> bool {
        self.workloads.is_empty() && self.nth == 1 && self.without.is_empty()
    }

    /// Whether nothing but the cliffs is asked for.
    pub(super) fn is_of_cliffs(&self) -> bool {
        self.workloads.iter().all(|name| name == CLIFFS) && !self.workloads.is_empty()
    }

    /// Where a table goes that is not one of everything.
    pub(super) fn partial_table(&self) -> PathBuf {
        self.results.join("table.md")
    }

    fn data(&self, name: &str) -> PathBuf {
        self.root.join("../shared/peerbench/data").join(name)
    }

    fn cases(&self, name: &str) -> PathBuf {
        self.folder.join("cases").join(format!("{name}.jsonl"))
    }

    /// The dump of one way.
    pub(super) fn dump(&self, way: &str) -> PathBuf {
        self.folder.join(format!("{}.callgrind", file_name(way)))
    }

    /// Where the result of a way is, or that of everything on.
    pub(super) fn result(&self, way: Option<&str>) -> PathBuf {
        self.results.join(format!("{}.json", file_name(way.unwrap_or("everything on"))))
    }

    /// Builds the command: optimized, but so that it is soon built again after a way was deleted.
    pub(super) fn build(&self) -> Result<(), String> {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.root).args(["build", "--profile", "conformance", "--quiet"]);
        run(cargo.args(["--package", "tokenstile-ablation", "--features", "ablate"]))
    }

    /// All ways, in the order of the engine's list.
    pub(super) fn ways(&self) -> Result<Vec<Way>, String> {
        let output = Command::new(&self.runner).arg("ways").output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let way = |line: &str| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(Way { name: line[0].as_str()?.to_owned(), what: line[1].as_str()?.to_owned() })
        };
        Ok(text.lines().filter_map(way).collect())
    }

    /// What the command is told of the workloads that are counted, or of the one that is timed; `None` if that is not
    /// asked for.
    pub(super) fn arguments(&self, counted: bool) -> Option<Vec<String>> {
        let names = if counted { &COUNTED[..] } else { &[CLIFFS] };
        let is_asked =
            |name: &&&str| self.workloads.is_empty() || self.workloads.iter().any(|asked| asked == *name);
        let names: Vec<&str> = names.iter().filter(is_asked).copied().collect();
        let path = |path: &Path| path.display().to_string();
        let mut arguments = vec!["--vocab".to_owned(), path(&self.data("vocab.jsonl"))];
        arguments.extend(["--tables".to_owned(), path(&self.tables())]);
        arguments.extend(["--nth".to_owned(), self.nth.to_string()]);
        arguments.extend(self.without.iter().flat_map(|way| ["--off".to_owned(), way.clone()]));
        for name in &names {
            arguments.extend(["--cases".to_owned(), path(&self.cases(name))]);
        }
        (!names.is_empty()).then_some(arguments)
    }

    /// Has the command make the tables, which may be others after a change of the engine, and the micro-cases.
    pub(super) fn prepare(&self) -> Result<(), String> {
        fs::create_dir_all(self.folder.join("cases")).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.runner);
        command.arg("prepare").arg(self.data("vocab.jsonl"));
        run(command.arg(self.tables()).arg(self.cases(MICRO)))
    }

    /// Has the command say what one step of a case takes.
    pub(super) fn explain(&self, cases: &str, step: &str) -> Result<(), String> {
        let mut command = Command::new(&self.runner);
        command.arg("step").arg("--vocab").arg(self.data("vocab.jsonl")).arg("--tables").arg(self.tables());
        run(command.args(["--rounds", ROUNDS, "--cases", cases, "--step", step]))
    }

    fn tables(&self) -> PathBuf {
        self.folder.join("tables")
    }

    /// Makes the cases, if they are not there.
    pub(super) fn make_cases(&self) -> Result<(), String> {
        let in_words = |error: std::io::Error| error.to_string();
        if self.cases(CLIFFS).exists() {
            return Ok(());
        }
        let shared = self.root.join("../shared");
        if !shared.join("peerbench").is_dir() {
            return Err("../shared/peerbench is not there, and has the vocabulary and the schemas".into());
        }
        println!("ablate: making the cases");
        let python = self.python()?;
        let tokenizer = self.data("tokenizer.json");
        let output = |script: &str, more: &[&str]| {
            let mut command = Command::new(&python);
            command.args(["-W", "ignore"]).arg(shared.join(script)).arg(&tokenizer).args(more);
            let output = command.stderr(Stdio::null()).output().map_err(in_words)?;
            Ok::<_, String>(String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let schemas = fs::read_to_string(self.data("cases.jsonl")).map_err(in_words)?;
        let patterns = output("shapes/patterns.py", &[])?;
        let shapes = output("shapes/shapes.py", &["8"])?;
        let micro = fs::read_to_string(self.cases(MICRO)).map_err(in_words)?;
        let mut cliffs = String::new();
        let sets = [
            ("schemas", schemas, SCHEMAS),
            ("patterns", patterns, PATTERNS),
            ("shapes", shapes, (1, 99)),
            ("micro", micro, (1, 99)),
        ];
        for (name, lines, (nth, most)) in sets {
            let chosen = lines.split_inclusive('\n').skip((nth - 1) / 2).step_by(nth).take(most);
            let (high, rest): (Vec<&str>, Vec<&str>) = chosen.partition(|line| is_cliff(line));
            cliffs.extend(high);
            fs::write(self.cases(name), rest.concat()).map_err(in_words)?;
        }
        let mut grammars = Command::new(&python);
        grammars.arg(self.root.join("tools/bench/cases.py")).arg("texts").arg(&tokenizer);
        grammars.arg(self.root.join("tools/bench/grammars.jsonl")).arg(self.cases("grammars"));
        run(grammars.arg(self.data("gbnf")))?;
        fs::write(self.cases(CLIFFS), cliffs).map_err(in_words)
    }

    /// An interpreter that has the packages.
    fn python(&self) -> Result<PathBuf, String> {
        let venv = self.folder.join("venv");
        let python = venv.join("bin/python");
        if !python.exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        }
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
        run(&mut pip)?;
        Ok(python)
    }
}

fn is_cliff(line: &str) -> bool {
    let case: Value = serde_json::from_str(line).unwrap_or_default();
    case["id"].as_str().is_some_and(|id| CLIFF_CASES.contains(&id))
}

/// The name of a way as that of a file.
fn file_name(way: &str) -> String {
    way.replace(' ', "-")
}
