//! Errors as OpenAI's clients know them.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokenstile_runtime::GenerateError;

/// Why a request was not answered.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    kind: &'static str,
    message: String,
    param: Option<String>,
    code: Option<&'static str>,
    retry_after: Option<u64>,
}

impl ApiError {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, kind, message: message.into(), param: None, code: None, retry_after: None }
    }

    /// The request is not one that can be answered.
    pub(crate) fn invalid(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "invalid_request_error", message)
    }

    /// The same, about one field.
    pub(crate) fn field(param: impl Into<String>, message: impl Into<String>) -> ApiError {
        ApiError { param: Some(param.into()), ..ApiError::invalid(message) }
    }

    /// There is no such thing.
    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "invalid_request_error", message)
    }

    /// The method is not one for this address.
    pub(crate) fn wrong_method() -> ApiError {
        let message = "this address does not take that method";
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "invalid_request_error", message)
    }

    /// The key is missing or wrong.
    pub(crate) fn unauthorized() -> ApiError {
        let message = "missing or wrong API key: send `Authorization: Bearer KEY`";
        ApiError::new(StatusCode::UNAUTHORIZED, "authentication_error", message).code("invalid_api_key")
    }

    /// The body is longer than it may be.
    pub(crate) fn too_large(limit: usize) -> ApiError {
        let message = format!("the body is longer than {limit} bytes");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_request_error", message).code("body_too_large")
    }

    /// The queue is full.
    pub(crate) fn too_many(queue: usize) -> ApiError {
        let message = format!("{queue} requests are waiting already: try again later");
        let error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", message);
        ApiError { retry_after: Some(1), ..error }.code("queue_full")
    }

    /// The body did not come in time.
    pub(crate) fn slow_body() -> ApiError {
        ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout_error", "the body did not come in time")
    }

    /// The time of the request is over.
    pub(crate) fn timeout() -> ApiError {
        let message = "the request took longer than the server allows";
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "timeout_error", message).code("timeout")
    }

    /// The server has failed.
    pub(crate) fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", message)
    }

    /// The model's thread is gone, or the server stops.
    pub(crate) fn unavailable() -> ApiError {
        let message = "the server is stopping or has failed";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "server_error", message)
    }

    /// The same error with a code.
    pub(crate) fn code(self, code: &'static str) -> ApiError {
        ApiError { code: Some(code), ..self }
    }

    /// In OpenAI's form.
    pub(crate) fn json(&self) -> Value {
        json!({"error": {
            "message": self.message, "type": self.kind, "param": self.param, "code": self.code,
        }})
    }
}

impl From<GenerateError> for ApiError {
    fn from(error: GenerateError) -> Self {
        let message = error.to_string();
        match error {
            GenerateError::TooLong { .. } => {
                ApiError::field("messages", message).code("context_length_exceeded")
            }
            GenerateError::EmptyPrompt => ApiError::field("prompt", message),
            GenerateError::CannotComplete { .. } => {
                ApiError::field("max_tokens", message).code("cannot_complete")
            }
            GenerateError::TriggerMissing { .. } => ApiError::field("max_tokens", message),
            GenerateError::Setting { .. }
            | GenerateError::Template { .. }
            | GenerateError::UnknownToken { .. } => ApiError::invalid(message),
            GenerateError::Match(_) => ApiError::invalid(message).code("constraint_limit"),
            _ => ApiError::internal(message),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json_response(self.status, &self.json());
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// A response with a JSON body.
pub(crate) fn json_response(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
