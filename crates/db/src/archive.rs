//! A backup file: the rows of all tables, the same for both engines, compressed by zstd and closed by a checksum of each table.
//! Inside are records: a letter, the length, then JSON or the bytes of a row. A file that ends before its last record was cut.
use crate::age::{self, AgeReader, AgeWriter, FileKey, Recipient};
use crate::error::FileError;
use crate::row::Value;
use crate::row::{TableSum, decode, encode};
use crate::snapshot::DatabaseContents;
use crate::table::Table;
use crate::{Error, Result};
use domain::clock::Millis;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use zstd::stream::{read, write};

const FORMAT: &str = "suncellar backup 1";
/// zstd's third level: twice as fast as reading from a database.
const LEVEL: i32 = 3;
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";
/// PostgreSQL stores no larger value.
const MAX_RECORD: u32 = 1 << 30;

const START: u8 = b'S';
const TABLE: u8 = b'T';
const ROW: u8 = b'R';
const TABLE_END: u8 = b'E';
const END: u8 = b'Z';

/// How a backup begins.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    format: String,
    /// The last step of the schema.
    pub(crate) schema: i64,
    engine: String,
    taken_at: Millis,
    program: String,
}

impl Start {
    pub(crate) fn new(schema: i64, engine: &str, taken_at: Millis) -> Self {
        Self {
            format: FORMAT.to_owned(),
            schema,
            engine: engine.to_owned(),
            taken_at,
            program: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableHead {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

impl From<&Table> for TableHead {
    fn from(table: &Table) -> Self {
        Self {
            name: table.name.clone(),
            columns: table.column_names(),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct TableEnd {
    rows: u64,
    /// In hexadecimal digits.
    checksum: String,
}

pub(crate) enum Record {
    Table(TableHead),
    Row(Vec<Value>),
    TableEnd(TableSum),
    End(DatabaseContents),
}

/// What a file is by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Archive,
    Encrypted,
    /// A database file: what `backup` wrote before it had a format of its own, or one that a restore set aside.
    Sqlite,
    Unknown,
}

enum Output {
    Plain(BufWriter<File>),
    Encrypted(Box<AgeWriter<BufWriter<File>>>),
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Encrypted(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Encrypted(file) => file.flush(),
        }
    }
}

pub(crate) struct ArchiveWriter {
    path: PathBuf,
    out: write::Encoder<'static, Output>,
    key: Option<FileKey>,
    columns: usize,
    sum: TableSum,
    bytes: Vec<u8>,
}

impl ArchiveWriter {
    pub(crate) fn new(
        path: &Path,
        file: File,
        recipients: &[Recipient],
        start: &Start,
    ) -> Result<Self> {
        let open = || {
            let file = BufWriter::with_capacity(1 << 18, file);
            let (output, key) = match recipients {
                [] => (Output::Plain(file), None),
                _ => {
                    let (writer, key) = AgeWriter::new(file, recipients)?;
                    (Output::Encrypted(Box::new(writer)), Some(key))
                }
            };
            let mut out = write::Encoder::new(output, LEVEL)?;
            out.include_checksum(true)?;
            Ok((out, key))
        };
        let (out, key) = open().map_err(FileError::io(path))?;
        let mut writer = Self {
            path: path.to_owned(),
            out,
            key,
            columns: 0,
            sum: TableSum::default(),
            bytes: Vec::new(),
        };
        writer.json(START, start)?;
        Ok(writer)
    }

    pub(crate) fn table(&mut self, head: &TableHead) -> Result<()> {
        self.sum = TableSum::default();
        self.columns = head.columns.len();
        self.json(TABLE, head)
    }

    pub(crate) fn row(&mut self, row: &[Value]) -> Result<()> {
        let mut bytes = std::mem::take(&mut self.bytes);
        encode(row, &mut bytes);
        self.sum.add(&bytes);
        let done = self.record(ROW, &bytes);
        self.bytes = bytes;
        done
    }

    pub(crate) fn table_end(&mut self) -> Result<TableSum> {
        let TableSum { rows, checksum } = self.sum;
        let checksum = format!("{checksum:032x}");
        self.json(TABLE_END, &TableEnd { rows, checksum })?;
        Ok(self.sum)
    }

    /// Returns when everything is on the disk, with what is needed to read it again.
    pub(crate) fn finish(mut self, contents: &DatabaseContents) -> Result<Option<FileKey>> {
        self.json(END, contents)?;
        let Self { path, out, key, .. } = self;
        let close = || {
            let file = match out.finish()? {
                Output::Plain(file) => file,
                Output::Encrypted(writer) => writer.finish()?,
            };
            file.into_inner().map_err(io::Error::from)?.sync_all()
        };
        close().map_err(FileError::io(&path))?;
        Ok(key)
    }

    fn json(&mut self, letter: u8, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_vec(value).map_err(io::Error::from);
        let text = text.map_err(FileError::io(&self.path))?;
        self.record(letter, &text)
    }

    fn record(&mut self, letter: u8, bytes: &[u8]) -> Result<()> {
        let size = u32::try_from(bytes.len()).ok();
        let mut write = || {
            let size = size.filter(|size| *size <= MAX_RECORD);
            let size = size.ok_or_else(|| io::Error::other("a row is too large for a backup"))?;
            self.out.write_all(&[letter])?;
            self.out.write_all(&size.to_le_bytes())?;
            self.out.write_all(bytes)
        };
        write().map_err(FileError::io(&self.path))
    }
}

pub(crate) struct ArchiveReader {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    columns: usize,
    sum: TableSum,
    bytes: Vec<u8>,
    pub(crate) start: Start,
}

impl ArchiveReader {
    /// A file that was just written, with its key if it is encrypted.
    pub(crate) fn of_written(path: &Path, key: Option<&FileKey>) -> Result<Self> {
        let file = File::open(path).map_err(FileError::io(path))?;
        let file = BufReader::with_capacity(1 << 18, file);
        match key {
            None => Self::new(path, Box::new(file)),
            Some(key) => {
                let plain = AgeReader::new(file, key).map_err(|error| damaged(path, &error))?;
                Self::new(path, Box::new(BufReader::new(plain)))
            }
        }
    }

    pub(crate) fn new(path: &Path, input: Box<dyn BufRead + Send>) -> Result<Self> {
        let input = read::Decoder::with_buffer(input).map_err(|error| damaged(path, &error))?;
        let mut reader = Self {
            path: path.to_owned(),
            input: Box::new(BufReader::with_capacity(1 << 18, input)),
            columns: 0,
            sum: TableSum::default(),
            bytes: Vec::new(),
            start: Start::new(0, "", 0),
        };
        let letter = reader.fill()?;
        let foreign = || FileError::Foreign(path.to_owned());
        let start: Start = serde_json::from_slice(&reader.bytes).map_err(|_| foreign())?;
        if letter != START || start.format != FORMAT {
            return Err(foreign().into());
        }
        reader.start = start;
        Ok(reader)
    }

    /// The next record. The sum at a table's end was compared with its rows.
    pub(crate) fn next(&mut self) -> Result<Record> {
        match self.fill()? {
            TABLE => {
                let head: TableHead = self.parsed()?;
                self.columns = head.columns.len();
                self.sum = TableSum::default();
                Ok(Record::Table(head))
            }
            ROW => {
                self.sum.add(&self.bytes);
                Ok(Record::Row(
                    decode(&self.bytes, self.columns)
                        .map_err(|error| damaged(&self.path, &error))?,
                ))
            }
            TABLE_END => {
                let TableEnd { rows, checksum } = self.parsed()?;
                let TableSum {
                    rows: read,
                    checksum: sum,
                } = self.sum;
                if (rows, checksum) != (read, format!("{sum:032x}")) {
                    return Err(damaged(&self.path, &"a table's checksum is wrong"));
                }
                Ok(Record::TableEnd(self.sum))
            }
            END => {
                let contents = self.parsed()?;
                // Compares the checksum of all, too.
                let mut rest = [0];
                match self.input.read(&mut rest) {
                    Ok(0) => Ok(Record::End(contents)),
                    Ok(_) => Err(damaged(&self.path, &"something follows its end")),
                    Err(error) => Err(damaged(&self.path, &error)),
                }
            }
            _ => Err(damaged(&self.path, &"a record is unknown")),
        }
    }

    /// Reads the next record into `bytes` and returns its letter.
    fn fill(&mut self) -> Result<u8> {
        let mut read = || {
            let mut head = [0; 5];
            self.input.read_exact(&mut head)?;
            let [letter, size @ ..] = head;
            let size = u32::from_le_bytes(size);
            self.bytes.clear();
            let taken = (&mut self.input)
                .take(size.into())
                .read_to_end(&mut self.bytes)?;
            match u32::try_from(taken) == Ok(size) && size <= MAX_RECORD {
                true => Ok(letter),
                false => Err(io::ErrorKind::UnexpectedEof.into()),
            }
        };
        let read: io::Result<u8> = read();
        read.map_err(|error| damaged(&self.path, &error))
    }

    fn parsed<T: for<'a> Deserialize<'a>>(&self) -> Result<T> {
        serde_json::from_slice(&self.bytes).map_err(|error| damaged(&self.path, &error))
    }
}

fn damaged(path: &Path, cause: &dyn ToString) -> Error {
    let (file, cause) = (path.to_owned(), cause.to_string());
    FileError::DamagedBackup { file, cause }.into()
}

/// Looks at the first bytes and leaves them to be read.
pub(crate) fn kind(input: &mut impl BufRead) -> io::Result<FileKind> {
    let start = input.fill_buf()?;
    let kinds = [
        (ZSTD_MAGIC, FileKind::Archive),
        (age::MAGIC, FileKind::Encrypted),
        (SQLITE_MAGIC, FileKind::Sqlite),
    ];
    let known = kinds.iter().find(|(magic, _)| start.starts_with(magic));
    Ok(known.map_or(FileKind::Unknown, |(_, kind)| *kind))
}
