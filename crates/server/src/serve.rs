//! Starting and stopping.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokenstile_runtime::Runtime;
use tokio::sync::oneshot;

use crate::api::{self, App};
use crate::config::Config;
use crate::engine::Engine;
use crate::log::Log;
use crate::metrics::Metrics;

/// Threads for connections: the work is done elsewhere.
const THREADS: usize = 2;

/// Why the server could not start or go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened at.
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A thread could not be started, or connections cannot be taken.
    Io(std::io::Error),
    /// The model's thread has failed.
    Model,
}

impl From<std::io::Error> for ServeError {
    fn from(error: std::io::Error) -> Self {
        ServeError::Io(error)
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Listen { address, error } => write!(f, "cannot listen at {address}: {error}"),
            ServeError::Io(error) => write!(f, "{error}"),
            ServeError::Model => f.write_str("the model's thread has failed"),
        }
    }
}

impl std::error::Error for ServeError {}

/// An address that is listened at.
#[derive(Debug)]
pub struct Listener(std::net::TcpListener);

impl Listener {
    /// Listens at a host and a port; port 0 is any that is free.
    pub fn bind(host: &str, port: u16) -> Result<Listener, ServeError> {
        let listen = || {
            let listener = std::net::TcpListener::bind((host, port))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        listen()
            .map(Listener)
            .map_err(|error| ServeError::Listen { address: format!("{host}:{port}"), error })
    }

    /// The address, with the port that was found.
    pub fn address(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.0.local_addr()?)
    }
}

/// Answers requests until the process is interrupted or told to end. Then no connections are taken any more, and what
/// runs is finished, for as long as [`Config::grace`] allows.
pub fn serve(runtime: Runtime, config: Config, listener: Listener, log: Log) -> Result<(), ServeError> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    let grace = config.grace;
    let metrics = Arc::new(Metrics::default());
    let runtime = Arc::new(runtime);
    let (engine, model) = Engine::start(runtime.clone(), &config, metrics.clone(), log.clone())?;
    let app = Arc::new(App::new(runtime, config, engine, metrics, log.clone()));
    let ended = threads.block_on(answer(app, listener, grace, &log));
    threads.shutdown_timeout(Duration::from_secs(1));
    // With the last request the way to the model's thread is gone, and it ends.
    let failed = if matches!(ended, Ok(true)) { model.join().is_err() } else { model.is_finished() };
    log.line("stopped", &[("clean", &matches!(ended, Ok(true)))]);
    ended?;
    if failed { Err(ServeError::Model) } else { Ok(()) }
}

/// Takes connections until it is time to stop; whether all of them came to their end.
async fn answer(app: Arc<App>, listener: Listener, grace: Duration, log: &Log) -> Result<bool, ServeError> {
    let listener = tokio::net::TcpListener::from_std(listener.0)?;
    let (stopping, stopped) = oneshot::channel();
    let signal = interrupted()?;
    let told = log.clone();
    let stop = async move {
        signal.await;
        told.line("stopping", &[]);
        // Nobody listens only if there is nothing to wait for.
        let _ = stopping.send(());
    };
    let serving = axum::serve(listener, api::router(app)).with_graceful_shutdown(stop).into_future();
    let serving = std::pin::pin!(serving);
    let too_late = async {
        match stopped.await {
            Ok(()) => tokio::time::sleep(grace).await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        ended = serving => Ok(ended.map(|()| true)?),
        () = too_late => Ok(false),
    }
}

/// Comes to its end when the process is interrupted or told to end.
fn interrupted() -> Result<impl Future<Output = ()>, ServeError> {
    #[cfg(unix)]
    let mut end = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = end.recv() => {}
        }
        #[cfg(not(unix))]
        {
            // Without signals the server runs until it is killed.
            let _ = tokio::signal::ctrl_c().await;
        }
    })
}
