//! Six processes on one PostgreSQL: two gateways, two portals that show every system, and two that do jobs. And batteries that
//! send steadily while many others do something at once.
use bus::Liveness;
use domain::clock::Millis;
use domain::{Clock, Serial};
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use testkit::battery::{MqttLogin, merge};
use testkit::{MqttBattery, TestApp, TestDb, eventually};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// Short, so that the age of the newest heartbeat shows how late peer messages are.
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(100);
const SAMPLE_INTERVAL: Duration = Duration::from_millis(250);
const CONNECTING_AT_ONCE: usize = 50;

pub(crate) struct Installation {
    pub(crate) gateways: [TestApp; 2],
    pub(crate) portals: [TestApp; 2],
    pub(crate) jobs: [TestApp; 2],
    databases: Vec<TestDb>,
}

impl Installation {
    pub(crate) async fn start(db: &TestDb) -> Self {
        let liveness = Liveness {
            heartbeat_interval: HEARTBEAT_INTERVAL,
            ..Liveness::default()
        };
        let mut databases = Vec::new();
        let mut process = async || {
            let own = db.for_another_process().await;
            let app = TestApp::start_for_many(&own, liveness).await;
            databases.push(own);
            app
        };
        let gateways = [process().await, process().await];
        let portals = [process().await, process().await];
        let jobs = [process().await, process().await];
        Self {
            gateways,
            portals,
            jobs,
            databases,
        }
    }

    fn processes(&self) -> impl Iterator<Item = &TestApp> {
        self.gateways.iter().chain(&self.portals).chain(&self.jobs)
    }

    pub(crate) fn advance_clocks(&self, time: Millis) {
        for app in self.processes() {
            app.clock.advance(time);
        }
    }

    pub(crate) async fn show_at_portals(&self, systems: &[Serial]) {
        for app in &self.portals {
            app.portal.live.hold(systems).await.unwrap();
        }
    }

    /// Connects batteries, in turn to one gateway and the other. Each has sent a hello and a sample.
    pub(crate) async fn connect(&self, systems: &[Serial]) -> Vec<MqttBattery> {
        let connect = async |(n, sn): (usize, &Serial)| {
            let gateway = &self.gateways[n % 2];
            let login = MqttLogin {
                // They may be silent for as long as the test takes.
                keep_alive: u16::MAX,
                ..MqttLogin::with_will(sn.as_str(), 1)
            };
            let mut battery = MqttBattery::log_in(gateway.devices, login).await.unwrap();
            battery.subscribe(&[&format!("v1/d/{sn}/down/#")]).await;
            let versions = json!({"fw": {"m": "4.1", "g": "2.0", "sl": null, "off": 0}});
            let hello = merge(battery.hello(gateway.clock.now()), versions);
            battery.report("hello", hello.to_string()).await;
            battery.measure(gateway.clock.now()).await;
            battery
        };
        let connecting = stream::iter(systems.iter().enumerate()).map(connect);
        connecting.buffered(CONNECTING_AT_ONCE).collect().await
    }

    /// Connects batteries that go on sending, until [`SteadyBatteries::finish`].
    pub(crate) async fn connect_steady(&self, systems: &[Serial]) -> SteadyBatteries {
        let mut steady = SteadyBatteries::default();
        for (n, battery) in self.connect(systems).await.into_iter().enumerate() {
            steady.add(battery, self.gateways[n % 2].clock.clone());
        }
        steady
    }

    /// Waits for `done`. Returns with it how old the newest heartbeat that came back was at most, in any of the processes.
    pub(crate) async fn oldest_heartbeat_during<T>(
        &self,
        done: impl Future<Output = T>,
    ) -> (T, Duration) {
        let mut done = pin!(done);
        let mut oldest = Duration::ZERO;
        let mut tick = tokio::time::interval(HEARTBEAT_INTERVAL / 4);
        loop {
            tokio::select! {
                result = &mut done => return (result, oldest),
                _ = tick.tick() => {
                    let ages = self.processes().map(|app| app.portal.live.heartbeat_age());
                    oldest = ages.fold(oldest, Duration::max);
                }
            }
        }
    }

    /// Returns when the connections to the database are closed, too.
    pub(crate) async fn stop(self, db: &TestDb) {
        let [one, two] = self.gateways;
        let [three, four] = self.portals;
        let [five, six] = self.jobs;
        for app in [one, two, three, four, five, six] {
            app.stop().await;
        }
        for own in self.databases {
            own.close().await;
        }
        db.db().close().await;
        eventually("PostgreSQL has ended their connections", async || {
            db.backends().await.is_empty()
        })
        .await;
    }
}

/// Batteries that each send a sample a few times a second.
#[derive(Default)]
pub(crate) struct SteadyBatteries {
    tasks: Vec<JoinHandle<MqttBattery>>,
    acknowledged: Vec<Arc<AtomicUsize>>,
    waits: Arc<Mutex<Vec<Duration>>>,
    stop: CancellationToken,
}

impl SteadyBatteries {
    fn add(&mut self, mut battery: MqttBattery, clock: Clock) {
        let acknowledged = Arc::<AtomicUsize>::default();
        self.acknowledged.push(Arc::clone(&acknowledged));
        let (waits, stop) = (Arc::clone(&self.waits), self.stop.clone());
        self.tasks.push(tokio::spawn(async move {
            let mut tick = tokio::time::interval(SAMPLE_INTERVAL);
            tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
            while stop.run_until_cancelled(tick.tick()).await.is_some() {
                let sent = Instant::now();
                battery.measure(clock.now()).await;
                waits.lock().unwrap().push(sent.elapsed());
                acknowledged.fetch_add(1, Ordering::Relaxed);
            }
            battery
        }));
    }

    /// Waits until each has so many more samples acknowledged.
    pub(crate) async fn send(&self, samples: usize) {
        let count = |battery: &Arc<AtomicUsize>| battery.load(Ordering::Relaxed);
        let goals: Vec<usize> = self.acknowledged.iter().map(count).collect();
        for (battery, before) in self.acknowledged.iter().zip(goals) {
            eventually("each battery is acknowledged", async || {
                count(battery) >= before + samples
            })
            .await;
        }
    }

    /// Of the waits for an acknowledgement since the last call, the one that 99 of 100 are shorter than.
    pub(crate) fn take_p99(&self) -> Duration {
        let mut waits = std::mem::take(&mut *self.waits.lock().unwrap());
        waits.sort_unstable();
        waits[waits.len() * 99 / 100]
    }

    /// Ends them. Whatever they sent was acknowledged, and is stored once.
    pub(crate) async fn finish(self, db: &TestDb) {
        self.stop.cancel();
        for task in self.tasks {
            let battery = task.await.unwrap();
            let stored = db.samples(&battery.sn).await;
            let mut stored: Vec<i64> = stored.iter().map(|row| row.2).collect();
            stored.sort_unstable();
            // The first message was its hello.
            let sent: Vec<i64> = (2..=i64::from(battery.seq)).collect();
            assert_eq!(stored, sent, "{}", battery.sn);
        }
    }
}
