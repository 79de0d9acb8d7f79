//! Starting and stopping.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokenstile_runtime::Runtime;
use tokio::sync::Semaphore;

use crate::api::{self, App};
use crate::config::Config;
use crate::engine::Engine;
use crate::log::Log;
use crate::metrics::Metrics;

/// Threads for connections: the work is done elsewhere.
const THREADS: usize = 2;
/// Longest wait for the head of a request, also on a connection that has had others.
const HEAD_TIME: Duration = Duration::from_secs(60);
/// After a connection could not be taken, such as for want of files, before the next is.
const PAUSE: Duration = Duration::from_millis(50);

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
    let metrics = Arc::new(Metrics::default());
    let runtime = Arc::new(runtime);
    let (engine, model) = Engine::start(runtime.clone(), &config, metrics.clone(), log.clone())?;
    let app = Arc::new(App::new(runtime, config, engine, metrics, log.clone()));
    let ended = threads.block_on(answer(app, listener, &log));
    threads.shutdown_timeout(Duration::from_secs(1));
    // With the last request the way to the model's thread is gone, and it ends.
    let failed = if matches!(ended, Ok(true)) { model.join().is_err() } else { model.is_finished() };
    log.line("stopped", &[("clean", &matches!(ended, Ok(true)))]);
    ended?;
    if failed { Err(ServeError::Model) } else { Ok(()) }
}

/// Takes connections until it is time to stop; whether all of them came to their end.
async fn answer(app: Arc<App>, listener: Listener, log: &Log) -> Result<bool, ServeError> {
    let listener = tokio::net::TcpListener::from_std(listener.0)?;
    let (grace, most) = (app.config.grace, app.config.connections);
    let service = TowerToHyperService::new(api::router(app));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let places = Arc::new(Semaphore::new(most.max(1)));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(interrupted()?);
    loop {
        let next = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        match accepted {
            Ok((connection, _)) => {
                // Pieces of a stream are small and go out at once. If that cannot be had they go out later.
                let _ = connection.set_nodelay(true);
                let answering = http.serve_connection(TokioIo::new(connection), service.clone());
                let answering = graceful.watch(answering);
                tokio::spawn(async move {
                    // What goes wrong with a connection ends it, and nothing else.
                    let _ = answering.await;
                    drop(place);
                });
            }
            Err(error) => {
                log.line("accept_error", &[("message", &error)]);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    log.line("stopping", &[]);
    tokio::select! {
        () = graceful.shutdown() => Ok(true),
        () = tokio::time::sleep(grace) => Ok(false),
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
