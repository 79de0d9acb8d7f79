//! What the server counts, and how Prometheus reads it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Bounds of the buckets for times of masks, in seconds.
const MASK: [f64; 12] = [1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 1e-2, 1e-1];
/// Bounds of the buckets for everything that takes longer.
const LONG: [f64; 12] = [1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0];

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Responses by address and status.
    responses: Mutex<BTreeMap<(&'static str, u16), u64>>,
    /// Generations by how they ended.
    outcomes: Mutex<BTreeMap<&'static str, u64>>,
    pub(crate) prompt_tokens: Counter,
    pub(crate) written_tokens: Counter,
    pub(crate) forced_tokens: Counter,
    pub(crate) steered_tokens: Counter,
    pub(crate) rounds: Counter,
    pub(crate) cache_hits: Counter,
    pub(crate) cache_misses: Counter,
    pub(crate) cache_evictions: Counter,
    pub(crate) turned_away: Counter,
    pub(crate) running: Gauge,
    pub(crate) waiting: Gauge,
    pub(crate) in_flight: Gauge,
    pub(crate) cache_bytes: Gauge,
    pub(crate) cache_entries: Gauge,
    pub(crate) mask_time: Histogram,
    pub(crate) mask_waited: Histogram,
    pub(crate) round_time: Histogram,
    pub(crate) queue_time: Histogram,
    pub(crate) first_token: Histogram,
    pub(crate) request_time: Histogram,
    pub(crate) compile_time: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            responses: Default::default(),
            outcomes: Default::default(),
            prompt_tokens: Counter::default(),
            written_tokens: Counter::default(),
            forced_tokens: Counter::default(),
            steered_tokens: Counter::default(),
            rounds: Counter::default(),
            cache_hits: Counter::default(),
            cache_misses: Counter::default(),
            cache_evictions: Counter::default(),
            turned_away: Counter::default(),
            running: Gauge::default(),
            waiting: Gauge::default(),
            in_flight: Gauge::default(),
            cache_bytes: Gauge::default(),
            cache_entries: Gauge::default(),
            mask_time: Histogram::new(&MASK),
            mask_waited: Histogram::new(&MASK),
            round_time: Histogram::new(&LONG),
            queue_time: Histogram::new(&LONG),
            first_token: Histogram::new(&LONG),
            request_time: Histogram::new(&LONG),
            compile_time: Histogram::new(&LONG),
        }
    }
}

impl Metrics {
    /// Counts a response.
    pub(crate) fn response(&self, route: &'static str, status: u16) {
        let mut responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        *responses.entry((route, status)).or_default() += 1;
    }

    /// Counts the end of a generation.
    pub(crate) fn outcome(&self, outcome: &'static str) {
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *outcomes.entry(outcome).or_default() += 1;
    }

    /// All of it, as Prometheus reads it.
    pub(crate) fn text(&self) -> String {
        let mut page = Page(String::new());
        page.head("requests_total", "counter", "Responses by address and status.");
        for ((route, status), count) in &*self.responses.lock().unwrap_or_else(PoisonError::into_inner) {
            page.line(&format!("requests_total{{route=\"{route}\",status=\"{status}\"}}"), *count as f64);
        }
        page.head("generations_total", "counter", "Generations by how they ended.");
        for (outcome, count) in &*self.outcomes.lock().unwrap_or_else(PoisonError::into_inner) {
            page.line(&format!("generations_total{{outcome=\"{outcome}\"}}"), *count as f64);
        }
        self.counters(&mut page);
        self.gauges(&mut page);
        self.histograms(&mut page);
        page.0
    }

    fn counters(&self, page: &mut Page) {
        for (name, help, counter) in [
            ("prompt_tokens_total", "Tokens of prompts.", &self.prompt_tokens),
            ("written_tokens_total", "Tokens written.", &self.written_tokens),
            ("forced_tokens_total", "Tokens that a constraint left no choice about.", &self.forced_tokens),
            ("steered_tokens_total", "Tokens on the shortest way to the end.", &self.steered_tokens),
            ("rounds_total", "Rounds of the model.", &self.rounds),
            ("turned_away_total", "Requests turned away because the queue was full.", &self.turned_away),
            ("cache_hits_total", "Constraints found in the cache.", &self.cache_hits),
            ("cache_misses_total", "Constraints that were compiled.", &self.cache_misses),
            ("cache_evictions_total", "Constraints dropped from the cache.", &self.cache_evictions),
        ] {
            page.head(name, "counter", help);
            page.line(name, counter.get() as f64);
        }
    }

    fn gauges(&self, page: &mut Page) {
        for (name, help, gauge) in [
            ("running_sequences", "Sequences in the batch.", &self.running),
            ("waiting_requests", "Requests that wait for their turn.", &self.waiting),
            ("requests_in_flight", "Generations that are being answered.", &self.in_flight),
            ("cache_bytes", "Bytes held by compiled constraints.", &self.cache_bytes),
            ("cache_entries", "Compiled constraints in the cache.", &self.cache_entries),
        ] {
            page.head(name, "gauge", help);
            page.line(name, gauge.get() as f64);
        }
    }

    fn histograms(&self, page: &mut Page) {
        for (name, help, histogram) in [
            ("mask_seconds", "Time of one mask.", &self.mask_time),
            ("mask_waited_seconds", "Time in one round that the model waited for masks.", &self.mask_waited),
            ("round_seconds", "Time of one round of the model.", &self.round_time),
            ("queue_seconds", "Time that requests waited for their turn.", &self.queue_time),
            ("first_token_seconds", "Time to the first token.", &self.first_token),
            ("request_seconds", "Time of a generation.", &self.request_time),
            ("compile_seconds", "Time to compile a constraint.", &self.compile_time),
        ] {
            page.head(name, "histogram", help);
            histogram.write(name, page);
        }
    }
}

/// Text in Prometheus' form.
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP tokenstile_{name} {help}\n# TYPE tokenstile_{name} {kind}");
    }

    fn line(&mut self, name: &str, value: f64) {
        let _ = writeln!(self.0, "tokenstile_{name} {value}");
    }
}

/// Something that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Something that goes up and down.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    pub(crate) fn add(&self, change: i64) {
        self.0.fetch_add(change, Ordering::Relaxed);
    }

    pub(crate) fn set(&self, value: usize) {
        self.0.store(i64::try_from(value).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often times fell below each of some bounds.
#[derive(Debug)]
pub(crate) struct Histogram {
    bounds: &'static [f64],
    /// One for each bound and one for what is above all.
    buckets: Vec<AtomicU64>,
    nanoseconds: AtomicU64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Histogram {
        let buckets = (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect();
        Histogram { bounds, buckets, nanoseconds: AtomicU64::new(0) }
    }

    /// Takes note of a time.
    pub(crate) fn note(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        let at = self.bounds.iter().position(|&bound| seconds <= bound).unwrap_or(self.bounds.len());
        self.buckets[at].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    fn write(&self, name: &str, page: &mut Page) {
        let mut sum = 0;
        for (bucket, bound) in self.buckets.iter().zip(self.bounds.iter().map(Some).chain([None])) {
            sum += bucket.load(Ordering::Relaxed);
            let bound = bound.map_or("+Inf".to_owned(), f64::to_string);
            page.line(&format!("{name}_bucket{{le=\"{bound}\"}}"), sum as f64);
        }
        page.line(&format!("{name}_sum"), self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9);
        page.line(&format!("{name}_count"), sum as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_add_up() {
        let metrics = Metrics::default();
        for micros in [1, 3, 3, 999_999_999] {
            metrics.mask_time.note(Duration::from_micros(micros));
        }
        metrics.response("/health", 200);
        let text = metrics.text();
        for line in [
            "tokenstile_mask_seconds_bucket{le=\"0.000001\"} 1",
            "tokenstile_mask_seconds_bucket{le=\"0.000005\"} 3",
            "tokenstile_mask_seconds_bucket{le=\"+Inf\"} 4",
            "tokenstile_mask_seconds_count 4",
            "tokenstile_requests_total{route=\"/health\",status=\"200\"} 1",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is missing in\n{text}");
        }
    }
}
