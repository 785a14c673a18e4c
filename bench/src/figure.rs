//! A figure: what was measured, against which peers, and whether its bar holds.
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) figure: &'static str,
    pub(crate) ours: Option<f64>,
    pub(crate) unit: &'static str,
    /// What the peers reached, in the same unit and the same run.
    pub(crate) against: BTreeMap<&'static str, Option<f64>>,
    pub(crate) bar: &'static str,
    /// `None` (JSON `null`): not measured, which is not the same as holding.
    pub(crate) holds: Option<bool>,
}

impl Figure {
    pub(crate) fn new(figure: &'static str, unit: &'static str, bar: &'static str) -> Self {
        Self {
            figure,
            ours: None,
            unit,
            against: BTreeMap::new(),
            bar,
            holds: None,
        }
    }

    /// A figure without a bar: it holds when it could be measured.
    pub(crate) fn recorded(figure: &'static str, unit: &'static str, value: Option<f64>) -> Self {
        Self::new(figure, unit, "none, recorded")
            .measured(value)
            .holds(value.map(|_| true))
    }

    pub(crate) fn measured(mut self, value: Option<f64>) -> Self {
        self.ours = value;
        self
    }

    pub(crate) fn ours(mut self, value: f64) -> Self {
        self.ours = Some(value);
        self
    }

    pub(crate) fn against(mut self, peer: &'static str, value: Option<f64>) -> Self {
        self.against.insert(peer, value);
        self
    }

    /// Sets the verdict; `None` when a value is missing.
    pub(crate) fn holds(mut self, decided: Option<bool>) -> Self {
        self.holds = decided;
        self
    }

    pub(crate) fn print(&self) {
        let verdict = match self.holds {
            Some(true) => "holds",
            Some(false) => "DOES NOT HOLD",
            None => "not measured",
        };
        println!(
            "{:<58} {} {:<10} bar: {:<42} {verdict}",
            self.figure,
            number(self.ours),
            self.unit,
            self.bar
        );
        for (peer, value) in &self.against {
            let ratio = self
                .ours
                .zip(*value)
                .map_or_else(String::new, |(ours, theirs)| {
                    format!("ours is {:.3} × this", ours / theirs)
                });
            println!(
                "    {peer:<54} {} {:<10} {ratio}",
                number(*value),
                self.unit
            );
        }
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| format!("{:>10}", "–"), |value| format!("{value:>10.2}"))
}

pub(crate) fn write(path: &Path, figures: &[Figure]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, serde_json::to_string_pretty(figures)? + "\n")?;
    Ok(())
}

/// The median of several rounds: one disturbed round does not move it.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
