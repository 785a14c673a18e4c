//! The web app in a browser: drawing speed, load time, size and layout shift. Playwright measures, with the browser and the demo
//! of the browser tests (`web/e2e/bench.ts`); the bars are here.
use crate::figure::Figure;
use serde_json::Value;
use tokio::process::Command;

/// Figure, its name in Playwright's output, unit, bar, and whether it holds.
type Bar = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    fn(f64) -> bool,
);

const BARS: [Bar; 6] = [
    (
        "browser: a day of 2,880 points × 8 series is drawn",
        "draw_ms",
        "ms",
        "≤ 100",
        |ms| ms <= 100.0,
    ),
    (
        "browser: scripts of the login page, gzip",
        "login_js_kib",
        "KiB",
        "≤ 145",
        |kib| kib <= 145.0,
    ),
    (
        "browser: scripts of the dashboard with its charts, gzip",
        "dashboard_js_kib",
        "KiB",
        "≤ 195",
        |kib| kib <= 195.0,
    ),
    (
        "browser: layout shift of the login page",
        "login_layout_shift",
        "",
        "< 0.02",
        |shift| shift < 0.02,
    ),
    (
        "browser: layout shift of the dashboard",
        "dashboard_layout_shift",
        "",
        "< 0.02",
        |shift| shift < 0.02,
    ),
    (
        "browser: layout shift of the page of charts",
        "charts_layout_shift",
        "",
        "< 0.02",
        |shift| shift < 0.02,
    ),
];

/// Figures without a bar, recorded for comparison with the next run.
const RECORDED: [(&str, &str); 5] = [
    (
        "browser: that day is drawn for the first time",
        "draw_first_ms",
    ),
    (
        "browser, CPU 4 × slower: first paint of the login page",
        "login_first_paint_ms",
    ),
    (
        "browser, CPU 4 × slower: end of the login page's last long task",
        "login_last_long_task_ms",
    ),
    (
        "browser, CPU 4 × slower: first paint of the dashboard",
        "dashboard_first_paint_ms",
    ),
    (
        "browser, CPU 4 × slower: end of the dashboard's last long task",
        "dashboard_last_long_task_ms",
    ),
];

pub(crate) async fn run(figures: &mut Vec<Figure>) -> anyhow::Result<()> {
    let measured = measure().await?;
    let number = |name: &str| measured[name].as_f64();
    for (figure, name, unit, bar, holds) in BARS {
        let figure = Figure::new(figure, unit, bar).measured(number(name));
        figures.push(figure.holds(number(name).map(holds)));
    }
    for (figure, name) in RECORDED {
        figures.push(Figure::recorded(figure, "ms", number(name)));
    }
    Ok(())
}

/// Numbers by name. If the browser is missing or fails they are left out, and its output is on the screen.
async fn measure() -> anyhow::Result<Value> {
    let folder = tempfile::tempdir()?;
    let results = folder.path().join("browser.json");
    let server = std::env::current_exe()?.with_file_name("suncellar");
    Command::new("npm")
        .args([
            "--prefix", "web", "run", "--silent", "bench", "--", "bench.ts",
        ])
        .env("SUNCELLAR_TEST_BINARY", server)
        .env("BENCH_RESULTS", &results)
        .status()
        .await?;
    let Ok(text) = std::fs::read_to_string(&results) else {
        return Ok(Value::Null);
    };
    Ok(serde_json::from_str(&text)?)
}
