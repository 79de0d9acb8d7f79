//! The addresses of the server, and what every request goes through: the key, the bound on its body, the count.

mod chat;
mod collect;
mod completions;
mod conversation;
mod generation;
mod logprobs;
mod parts;
mod responses;
mod sglang;
mod sse;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::json;
use tokenstile_runtime::Runtime;

use crate::config::Config;
use crate::constraint::Constraints;
use crate::engine::Engine;
use crate::error::{ApiError, json_response};
use crate::json::{self, Fields};
use crate::log::Log;
use crate::metrics::Metrics;
use crate::playground;

pub(crate) use generation::{Meter, Plan};
pub(crate) use logprobs::token_text;
pub(crate) use sse::{Lines, Out, stream};

/// Longest wait for a body.
const BODY_TIME: Duration = Duration::from_secs(30);

/// What all requests share.
pub(crate) struct App {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) config: Config,
    pub(crate) engine: Engine,
    pub(crate) constraints: Constraints,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Log,
    /// When the server was started, in seconds since 1970.
    started: u64,
}

impl App {
    pub(crate) fn new(
        runtime: Arc<Runtime>,
        config: Config,
        engine: Engine,
        metrics: Arc<Metrics>,
        log: Log,
    ) -> App {
        let constraints = Constraints::new(runtime.compiler().clone(), &config, metrics.clone());
        App { runtime, config, engine, constraints, metrics, log, started: now() }
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// What handlers answer.
pub(crate) type Answer = Result<Response, ApiError>;

/// Addresses by the name that metrics use.
const ROUTES: [&str; 10] = [
    "/",
    "/health",
    "/metrics",
    "/v1/models",
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/responses",
    "/generate",
    "/playground/check",
    "/playground/generate",
];

/// All addresses.
pub(crate) fn router(app: Arc<App>) -> Router {
    let guarded = Router::new()
        .route("/v1/models", get(models))
        .route("/v1/models/{*name}", get(model))
        .route("/v1/chat/completions", post(chat::answer))
        .route("/v1/completions", post(completions::answer))
        .route("/v1/responses", post(responses::answer))
        .route("/generate", post(sglang::answer))
        .route("/playground/check", post(playground::check))
        .route("/playground/generate", post(playground::generate))
        .layer(middleware::from_fn_with_state(app.clone(), guard));
    Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .merge(playground::pages())
        .merge(guarded)
        .fallback(async || ApiError::not_found("there is nothing at this address"))
        .method_not_allowed_fallback(async || ApiError::wrong_method())
        .layer(middleware::from_fn_with_state(app.clone(), count))
        .with_state(app)
}

/// Lets requests with the key through.
async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let Some(key) = &app.config.api_key else { return next.run(request).await };
    let given = request.headers().get(header::AUTHORIZATION).map(|value| value.as_bytes());
    let given = given.and_then(|value| value.strip_prefix(b"Bearer ")).unwrap_or_default();
    if same(given, key.as_bytes()) {
        next.run(request).await
    } else {
        ApiError::unauthorized().into_response()
    }
}

/// Compares in a time that says nothing about where two texts differ.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    let differences = given.iter().zip(wanted).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == wanted.len() && differences == 0
}

/// Counts and logs responses.
async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = ROUTES.iter().find(|route| **route == request.uri().path()).copied().unwrap_or("other");
    let method = request.method().clone();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    app.metrics.response(route, status);
    let time = format!("{:.1}", begun.elapsed().as_secs_f64() * 1e3);
    app.log.line("response", &[("method", &method), ("route", &route), ("status", &status), ("ms", &time)]);
    response
}

/// The fields of a request's body.
pub(crate) async fn body(app: &App, body: Body) -> Result<Fields, ApiError> {
    let limit = app.config.body_bytes;
    let bytes = tokio::time::timeout(BODY_TIME, axum::body::to_bytes(body, limit)).await;
    let bytes = bytes.map_err(|_| ApiError::slow_body())?.map_err(|_| ApiError::too_large(limit))?;
    Fields::of(json::parse(&bytes)?, "")
}

/// Whether the model of a request is the one that is here. A name is not needed.
pub(crate) fn take_model(app: &App, fields: &mut Fields) -> Result<(), ApiError> {
    match fields.text("model")? {
        Some(name) if name != app.config.model && name != "default" => {
            let message = format!("the model `{name}` is not here; `{}` is", app.config.model);
            Err(ApiError::not_found(message).code("model_not_found"))
        }
        _ => Ok(()),
    }
}

fn card(app: &App) -> serde_json::Value {
    json!({
        "id": app.config.model, "object": "model", "created": app.started, "owned_by": "tokenstile",
        "max_model_len": app.runtime.model().config().context,
    })
}

async fn models(State(app): State<Arc<App>>) -> Response {
    json_response(StatusCode::OK, &json!({"object": "list", "data": [card(&app)]}))
}

async fn model(
    State(app): State<Arc<App>>,
    axum::extract::Path(name): axum::extract::Path<String>,
) -> Answer {
    if name != app.config.model {
        return Err(ApiError::not_found(format!("the model `{name}` is not here")).code("model_not_found"));
    }
    Ok(json_response(StatusCode::OK, &card(&app)))
}

async fn health(State(app): State<Arc<App>>) -> Answer {
    if !app.engine.is_alive() {
        return Err(ApiError::unavailable());
    }
    Ok(json_response(StatusCode::OK, &json!({"status": "ok", "model": app.config.model})))
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    app.constraints.tidy();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics.text()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_compared_as_a_whole() {
        assert!(same(b"secret", b"secret"));
        assert!(!same(b"secre", b"secret") && !same(b"secretx", b"secret") && !same(b"", b"secret"));
    }
}
