//! The page at `/`, and what it asks the server: to check a constraint, to write a text and show every choice.

mod check;
mod show;
mod why;

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::api::App;

pub(crate) use check::check;
pub(crate) use show::generate;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Addresses, kinds and texts of the page's parts.
const PARTS: [(&str, &str, &str); 7] = [
    ("/", HTML, include_str!("../../playground/index.html")),
    ("/playground/style.css", CSS, include_str!("../../playground/style.css")),
    ("/playground/app.js", SCRIPT, include_str!("../../playground/app.js")),
    ("/playground/editor.js", SCRIPT, include_str!("../../playground/editor.js")),
    ("/playground/examples.js", SCRIPT, include_str!("../../playground/examples.js")),
    ("/playground/chips.js", SCRIPT, include_str!("../../playground/chips.js")),
    ("/playground/chart.js", SCRIPT, include_str!("../../playground/chart.js")),
];

/// Nothing is loaded from elsewhere, and nobody else may show the page.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

/// The page and its parts.
pub(crate) fn pages() -> Router<Arc<App>> {
    PARTS.into_iter().fold(Router::new(), |router, (address, kind, text)| {
        let page = async move || {
            let headers = [
                (header::CONTENT_TYPE, kind),
                (header::CACHE_CONTROL, "no-cache"),
                (header::CONTENT_SECURITY_POLICY, POLICY),
            ];
            (headers, text).into_response()
        };
        router.route(address, get(page))
    })
}
