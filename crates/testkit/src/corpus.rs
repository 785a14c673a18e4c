//! The corpora of the fuzz targets (`fuzz/corpus`): the tests run each of their inputs once.
use std::path::{Path, PathBuf};

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target)
}

/// Runs a target with every input of its corpus.
pub fn run_each(target: &str, run: impl Fn(&[u8])) {
    let files = std::fs::read_dir(folder(target)).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    assert!(!files.is_empty(), "{target} has no corpus");
    files.sort();
    for file in files {
        // Shown with the panic, which says nothing of the input.
        eprintln!("{}", file.display());
        run(&std::fs::read(&file).unwrap());
    }
}

/// Adds an input to a corpus.
pub fn write(target: &str, name: &str, input: &[u8]) {
    let folder = folder(target);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), input).unwrap();
}
