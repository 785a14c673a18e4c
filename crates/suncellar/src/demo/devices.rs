//! The batteries' own memory, in the data folder: the secret of each and its boot counter.
use anyhow::{Context as _, bail};
use domain::{Random, Serial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct DemoDevice {
    sn: String,
    pub(super) secret: String,
    pub(super) boot: u32,
}

pub(super) struct DemoDevices {
    path: PathBuf,
    batteries: BTreeMap<String, DemoDevice>,
}

impl DemoDevices {
    pub(super) fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("demo-batteries.csv")
    }

    /// Reads the batteries' memory; it is empty at the first start.
    pub(super) fn open(data_dir: &Path) -> anyhow::Result<Self> {
        let path = Self::path(data_dir);
        let mut batteries = BTreeMap::new();
        if path.exists() {
            let context = || format!("{} cannot be read", path.display());
            for line in csv::Reader::from_path(&path)
                .with_context(context)?
                .deserialize()
            {
                let device: DemoDevice = line.with_context(context)?;
                batteries.insert(device.sn.clone(), device);
            }
        }
        Ok(Self { path, batteries })
    }

    pub(super) fn contains(&self, sn: &Serial) -> bool {
        self.batteries.contains_key(sn.as_str())
    }

    /// Creates a battery's secret. It cannot be computed from the serial number.
    pub(super) fn create(&mut self, sn: &Serial, random: &Random) {
        let secret = random
            .bytes::<32>()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let device = DemoDevice {
            sn: sn.to_string(),
            secret,
            boot: 0,
        };
        self.batteries.insert(sn.to_string(), device);
    }

    pub(super) fn get(&self, sn: &Serial) -> anyhow::Result<&DemoDevice> {
        let device = self.batteries.get(sn.as_str());
        device.with_context(|| {
            format!(
                "the battery {sn} is missing in {}: this data folder belongs to another demo",
                self.path.display()
            )
        })
    }

    /// Increments the boot counter and returns it.
    pub(super) fn count_start(&mut self, sn: &Serial) -> anyhow::Result<u32> {
        let Some(device) = self.batteries.get_mut(sn.as_str()) else {
            bail!("the battery {sn} is missing in {}", self.path.display());
        };
        device.boot += 1;
        Ok(device.boot)
    }

    /// Only the owner of the folder may read the file, as it holds the secrets.
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
        for device in self.batteries.values() {
            writer.serialize(device)?;
        }
        writer.flush()?;
        std::fs::rename(&new, &self.path).with_context(context)
    }
}
