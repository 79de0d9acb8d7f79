//! Structured logs: one line an event, `key=value` pairs, handed to whoever runs the server.

use std::fmt::{Display, Write};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where lines of the log go.
#[derive(Clone)]
pub struct Log(Arc<dyn Fn(&str) + Send + Sync>);

impl Log {
    /// A log whose lines are given to `sink`, without line ends.
    pub fn new(sink: impl Fn(&str) + Send + Sync + 'static) -> Log {
        Log(Arc::new(sink))
    }

    /// A log that nobody reads.
    pub fn nowhere() -> Log {
        Log::new(|_| {})
    }

    /// Writes one line: what happened, and what is to be known about it.
    pub(crate) fn line(&self, event: &str, pairs: &[(&str, &dyn Display)]) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut line = format!("time={}.{:03} event={event}", now.as_secs(), now.subsec_millis());
        for (key, value) in pairs {
            let value = value.to_string();
            let plain =
                !value.is_empty() && value.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '=');
            // Writing to a string cannot fail.
            let _ = if plain { write!(line, " {key}={value}") } else { write!(line, " {key}={value:?}") };
        }
        (self.0)(&line);
    }
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Log")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn values_stay_on_their_line() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = lines.clone();
        let log = Log::new(move |line| kept.lock().unwrap().push(line.to_owned()));
        log.line("end", &[("status", &200), ("what", &"a \"b\"\nc")]);
        let line = lines.lock().unwrap().pop().unwrap();
        assert!(
            line.starts_with("time=") && line.ends_with("event=end status=200 what=\"a \\\"b\\\"\\nc\""),
            "{line}"
        );
    }
}
