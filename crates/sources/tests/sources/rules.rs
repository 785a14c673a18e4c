//! The rules for every outside request, whatever the service returns.
#![allow(clippy::unwrap_used)]
use domain::Source;
use domain::clock::SECOND;
use domain::source::{BiddingZone, SourceError};
use sources::{Addresses, PriceRequest, SourceFailure, Sources};
use std::time::Duration;
use testkit::{FakeServices, NOON, Reply};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver};

async fn ask(addresses: Addresses, source: Source, token: Option<&str>) -> SourceFailure {
    let question = PriceRequest {
        zone: BiddingZone::DeLu,
        token,
        now: NOON,
    };
    let answer = Sources::new(addresses).prices(source, question).await;
    answer.unwrap_err()
}

async fn failure_of(services: &FakeServices, source: Source) -> SourceFailure {
    let addresses = Addresses::default().or_all(&services.url);
    ask(addresses, source, Some("a-token-of-a-household")).await
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let services = FakeServices::start().await;
    for code in [301, 302, 303, 307, 308] {
        services.reply("/price", Reply::With(code, "location", "/secret".into()));
        let failure = failure_of(&services, Source::EnergyCharts).await;
        assert_eq!(failure.error, SourceError::Rejected, "{code}");
    }
    let asked = services.take_requests();
    assert!(asked.iter().all(|asked| asked.path.starts_with("/price")));
}

#[tokio::test]
async fn every_status_has_its_meaning() {
    let services = FakeServices::start().await;
    for (code, source, want) in [
        (400, Source::EnergyCharts, SourceError::Rejected),
        (401, Source::EnergyCharts, SourceError::Rejected),
        (401, Source::Tibber, SourceError::TokenRefused),
        (403, Source::Entsoe, SourceError::TokenRefused),
        (404, Source::EnergyCharts, SourceError::Empty),
        (429, Source::Awattar, SourceError::RateLimited),
        (500, Source::Awattar, SourceError::Failed),
        (503, Source::EnergyCharts, SourceError::Failed),
    ] {
        services.reply("/", Reply::Text(code, "a secret of theirs".into()));
        let want = SourceFailure {
            error: want,
            retry_after: None,
        };
        assert_eq!(failure_of(&services, source).await, want, "{code}");
    }
}

#[tokio::test]
async fn a_service_says_how_long_it_wants_to_be_left_alone() {
    let services = FakeServices::start().await;
    services.reply("/", Reply::With(429, "retry-after", "90".into()));
    let failure = failure_of(&services, Source::EnergyCharts).await;
    assert_eq!(failure.retry_after, Some(90 * SECOND));
    services.reply("/", Reply::With(503, "retry-after", "soon".into()));
    let failure = failure_of(&services, Source::EnergyCharts).await;
    assert_eq!(failure.retry_after, None);
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_the_end() {
    let services = FakeServices::start().await;
    services.reply("/", Reply::Endless);
    let failure = failure_of(&services, Source::EnergyCharts).await;
    assert_eq!(failure.error, SourceError::Unreadable);
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let gone = FakeServices::start().await.url.clone();
    let failure = ask(
        Addresses::default().or_all(&gone),
        Source::EnergyCharts,
        None,
    )
    .await;
    assert_eq!(failure.error, SourceError::Unreachable);
}

#[tokio::test]
async fn a_token_that_is_no_header_is_refused_without_a_call() {
    let services = FakeServices::start().await;
    let addresses = Addresses::default().or_all(&services.url);
    let failure = ask(addresses, Source::Entsoe, Some("line\r\nbreak: in a token")).await;
    assert_eq!(failure.error, SourceError::TokenRefused);
    assert!(services.take_requests().is_empty());
}

/// No debug output of a client, a request or a failure contains the token.
#[tokio::test]
async fn a_token_stays_out_of_everything_that_is_written_down() {
    let gone = FakeServices::start().await.url.clone();
    let token = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
    for source in [Source::Tibber, Source::Entsoe] {
        let addresses = Addresses::default().or_all(&gone);
        let failure = ask(addresses, source, Some(token)).await;
        assert!(!format!("{failure:?} {}", failure.error).contains(&token[..8]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_says_nothing_is_not_waited_for() {
    let services = FakeServices::start().await;
    let day = Duration::from_secs(86_400);
    services.reply("/", Reply::Silent(day));
    let failure = failure_of(&services, Source::EnergyCharts).await;
    assert_eq!(failure.error, SourceError::TimedOut);
}

/// Answers every request with "not found" and reports which connection it used.
async fn counting() -> (Addresses, UnboundedReceiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for connection in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            let tell = tell.clone();
            tokio::spawn(async move {
                let (read, mut write) = stream.into_split();
                let mut lines = BufReader::new(read).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    if line.is_empty() {
                        tell.send(connection).unwrap();
                        let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
                        write.write_all(answer).await.unwrap();
                    }
                }
            });
        }
    });
    (Addresses::default().or_all(&url), told)
}

#[tokio::test]
async fn a_connection_that_was_idle_is_not_trusted_with_a_question() {
    let (addresses, mut came) = counting().await;
    let sources = Sources::new(addresses);
    let mut connections = Vec::new();
    for wait in [0, 1_500] {
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let question = PriceRequest {
            zone: BiddingZone::DeLu,
            token: None,
            now: NOON,
        };
        let answer = sources.prices(Source::EnergyCharts, question).await;
        assert_eq!(answer.unwrap_err().error, SourceError::Empty);
        connections.push(came.recv().await.unwrap());
    }
    assert_eq!(connections, [0, 1]);
}
