//! Turns `web/dist` into a table of embedded files. The web build has already written `.br` and `.gz` siblings,
//! so nothing is compressed here, and a missing folder only means "no web app" (server tests need none).
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../web/dist");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    // Looked up by binary search, so the order is that of the addresses.
    let mut entries: Vec<(String, String)> =
        files.iter().filter_map(|file| entry(&root, file)).collect();
    entries.sort();
    let mut table = String::from("&[\n");
    for (_, text) in &entries {
        table.push_str(text);
    }
    table.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("assets.rs");
    fs::write(out, table).expect("the build folder is writable");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), files);
        } else {
            files.push(entry.path());
        }
    }
}

fn entry(root: &Path, file: &Path) -> Option<(String, String)> {
    let extension = file.extension()?.to_str()?;
    if matches!(extension, "br" | "gz") {
        return None;
    }
    let url = format!("/{}", file.strip_prefix(root).ok()?.display());
    let absolute = file.canonicalize().ok()?;
    let sibling = |suffix: &str| {
        let path = format!("{}.{suffix}", absolute.display());
        if Path::new(&path).exists() {
            format!("Some(include_bytes!({path:?}))")
        } else {
            "None".into()
        }
    };
    let mut text = String::new();
    writeln!(
        text,
        "    File {{ url: {url:?}, mime: {:?}, etag: \"\\\"{:016x}\\\"\", raw: include_bytes!({:?}), br: {}, gz: {} }},",
        mime(extension),
        fingerprint(&fs::read(file).ok()?),
        absolute,
        sibling("br"),
        sibling("gz"),
    )
    .ok()?;
    Some((url, text))
}

/// FNV-1a: an ETag only has to change with the file.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn mime(extension: &str) -> &'static str {
    match extension {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
