//! The batteries' own memory, in the data folder: the secret each was born with, and how often it was started.
use anyhow::{Context as _, bail};
use domain::{Random, Serial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Remembered {
    sn: String,
    pub(super) secret: String,
    pub(super) boot: u32,
}

pub(super) struct Memory {
    path: PathBuf,
    batteries: BTreeMap<String, Remembered>,
}

impl Memory {
    pub(super) fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("demo-batteries.csv")
    }

    /// What the batteries remember; nothing at the first start.
    pub(super) fn open(data_dir: &Path) -> anyhow::Result<Self> {
        let path = Self::path(data_dir);
        let mut batteries = BTreeMap::new();
        if path.exists() {
            let context = || format!("{} cannot be read", path.display());
            for line in csv::Reader::from_path(&path)
                .with_context(context)?
                .deserialize()
            {
                let remembered: Remembered = line.with_context(context)?;
                batteries.insert(remembered.sn.clone(), remembered);
            }
        }
        Ok(Self { path, batteries })
    }

    pub(super) fn knows(&self, sn: &Serial) -> bool {
        self.batteries.contains_key(sn.as_str())
    }

    /// Gives a battery its secret. Nobody can compute it from the serial number.
    pub(super) fn bear(&mut self, sn: &Serial, random: &Random) {
        let secret = random
            .bytes::<32>()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let remembered = Remembered {
            sn: sn.to_string(),
            secret,
            boot: 0,
        };
        self.batteries.insert(sn.to_string(), remembered);
    }

    pub(super) fn of(&self, sn: &Serial) -> anyhow::Result<&Remembered> {
        let remembered = self.batteries.get(sn.as_str());
        remembered.with_context(|| {
            format!(
                "the battery {sn} is not in {}: this data folder is not of this demo",
                self.path.display()
            )
        })
    }

    /// Counts a start and returns its number.
    pub(super) fn start(&mut self, sn: &Serial) -> anyhow::Result<u32> {
        let Some(remembered) = self.batteries.get_mut(sn.as_str()) else {
            bail!("the battery {sn} has no memory");
        };
        remembered.boot += 1;
        Ok(remembered.boot)
    }

    /// Only the owner of the folder may read the secrets.
    pub(super) fn save(&self) -> anyhow::Result<()> {
        let context = || format!("{} cannot be written", self.path.display());
        let new = self.path.with_extension("new");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&new);
        let mut writer = csv::Writer::from_writer(file.with_context(context)?);
        for remembered in self.batteries.values() {
            writer.serialize(remembered)?;
        }
        writer.flush()?;
        std::fs::rename(&new, &self.path).with_context(context)
    }
}
