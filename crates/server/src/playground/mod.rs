//! The page at `/`, and what it asks the server: to check a constraint, to write a text and show every choice.

mod check;
mod show;
mod why;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use std::sync::Arc;

use crate::api::App;

pub(crate) use check::check;
pub(crate) use show::generate;

const PAGE: &str = include_str!("../../playground/index.html");
const STYLE: &str = include_str!("../../playground/style.css");
const SCRIPT: &str = include_str!("../../playground/app.js");
const CHART: &str = include_str!("../../playground/chart.js");

/// Nothing is loaded from elsewhere, and nobody else may show the page.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/// The page and its parts.
pub(crate) fn pages() -> Router<Arc<App>> {
    let page = |kind: &'static str, text: &'static str| {
        get(async move || {
            let headers = [
                (header::CONTENT_TYPE, kind),
                (header::CACHE_CONTROL, "no-cache"),
                (header::CONTENT_SECURITY_POLICY, POLICY),
            ];
            (headers, text).into_response()
        })
    };
    Router::new()
        .route("/", page("text/html; charset=utf-8", PAGE))
        .route("/playground/style.css", page("text/css; charset=utf-8", STYLE))
        .route("/playground/app.js", page("text/javascript; charset=utf-8", SCRIPT))
        .route("/playground/chart.js", page("text/javascript; charset=utf-8", CHART))
}
