//! GGUF files: metadata, and where each tensor lies.
//!
//! Versions 2 and 3, little-endian. Only the head of the file is held; tensors are read one by one from the file.
//! Every length is checked against what is left of the file before anything of that length is read or kept, so a
//! file that lies about its lengths costs neither memory nor time.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{Device, Shape};
use tokenstile::Vocab;

use crate::error::LoadError;

/// How much of a file is read at first; doubled until all of the metadata is in.
const FIRST_READ: u64 = 8 << 20;
/// Arrays of arrays deeper than this are refused. Known files have none at all.
const MAX_NESTING: usize = 8;
/// Most dimensions of a tensor.
const MAX_DIMS: u32 = 4;
/// Where tensors lie if the file does not say.
const ALIGNMENT: u64 = 32;

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Any integer.
    Integer(i128),
    /// Any floating-point number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A string; not always UTF-8.
    Bytes(Vec<u8>),
    /// A list of values.
    List(Vec<Value>),
}

/// One tensor of the file.
#[derive(Clone, Debug)]
struct Entry {
    /// Outermost first.
    dims: Vec<usize>,
    dtype: u32,
    /// From the start of the tensors.
    offset: u64,
}

/// An open GGUF file.
#[derive(Debug)]
pub struct Gguf {
    path: PathBuf,
    head: Vec<u8>,
    size: u64,
    metadata: HashMap<String, Value>,
    tensors: HashMap<String, Entry>,
    /// Where the tensors start.
    start: u64,
}

impl Gguf {
    /// Opens a file and reads its metadata.
    pub fn open(path: &Path) -> Result<Gguf, LoadError> {
        let io = |error| LoadError::Io { path: path.to_owned(), error };
        let mut file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let mut head = Vec::new();
        let mut wanted = FIRST_READ;
        loop {
            let more = wanted.min(size).saturating_sub(head.len() as u64);
            (&mut file).take(more).read_to_end(&mut head).map_err(io)?;
            match read_head(&head) {
                Ok((metadata, tensors, start)) => {
                    let path = path.to_owned();
                    return Ok(Gguf { path, head, size, metadata, tensors, start });
                }
                Err(Broken::Truncated { .. }) if (head.len() as u64) < size => {
                    wanted = wanted.saturating_mul(2);
                }
                Err(broken) => {
                    return Err(LoadError::Malformed { path: path.to_owned(), message: broken.to_string() });
                }
            }
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.metadata.get(key)
    }

    /// The value of a key that is a string.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// The value of a key that is an integer of 0 or more.
    pub fn count(&self, key: &str) -> Option<usize> {
        match self.get(key)? {
            Value::Integer(number) => usize::try_from(*number).ok(),
            _ => None,
        }
    }

    /// The value of a key that is a number.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Float(number) => Some(*number),
            Value::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }

    /// The value of a key that is true or false.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// The value of a key that is a list.
    pub fn list(&self, key: &str) -> Option<&[Value]> {
        match self.get(key)? {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The vocabulary, for the engine.
    pub fn vocab(&self) -> Result<Vocab, LoadError> {
        Vocab::from_gguf(&self.head).map_err(|error| LoadError::Vocab { path: self.path.clone(), error })
    }

    /// Whether there is a tensor of this name.
    pub fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The dimensions of a tensor, outermost first.
    pub fn dims(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|entry| &entry.dims[..])
    }

    /// Reads a tensor that must have these dimensions, outermost first.
    pub fn tensor(&self, name: &str, dims: &[usize], device: &Device) -> Result<QTensor, LoadError> {
        let wrong = |message: String| LoadError::Malformed { path: self.path.clone(), message };
        let entry =
            self.tensors.get(name).ok_or_else(|| wrong(format!("the file has no tensor `{name}`")))?;
        if entry.dims != dims {
            let message = format!("tensor `{name}` should be {dims:?} and is {:?}", entry.dims);
            return Err(wrong(message));
        }
        let dtype = element_type(entry.dtype)
            .ok_or_else(|| LoadError::Quantization { name: name.to_owned(), number: entry.dtype })?;
        let row = dims.last().copied().unwrap_or(0);
        if !row.is_multiple_of(dtype.block_size()) {
            let message = format!("tensor `{name}`: rows of {row} are no multiple of {}", dtype.block_size());
            return Err(wrong(message));
        }
        let elements = dims.iter().try_fold(1usize, |product, &dim| product.checked_mul(dim));
        let bytes = elements.and_then(|n| (n / dtype.block_size()).checked_mul(dtype.type_size()));
        let begin = self.start.checked_add(entry.offset);
        let (Some(bytes), Some(begin)) = (bytes, begin) else {
            return Err(wrong(format!("tensor `{name}` of {dims:?} is larger than any file")));
        };
        if begin.checked_add(bytes as u64).is_none_or(|end| end > self.size) {
            let message =
                format!("tensor `{name}` goes past the end of the file, which is cut off or broken");
            return Err(wrong(message));
        }
        let io = |error| LoadError::Io { path: self.path.clone(), error };
        let mut file = File::open(&self.path).map_err(io)?;
        file.seek(SeekFrom::Start(begin)).map_err(io)?;
        let mut data = vec![0; bytes];
        file.read_exact(&mut data).map_err(io)?;
        let storage = QStorage::from_data(data.into(), device, dtype)?;
        Ok(QTensor::new(storage, Shape::from(dims))?)
    }
}

/// The element types of GGUF that candle computes with.
fn element_type(number: u32) -> Option<GgmlDType> {
    Some(match number {
        0 => GgmlDType::F32,
        1 => GgmlDType::F16,
        2 => GgmlDType::Q4_0,
        3 => GgmlDType::Q4_1,
        6 => GgmlDType::Q5_0,
        7 => GgmlDType::Q5_1,
        8 => GgmlDType::Q8_0,
        10 => GgmlDType::Q2K,
        11 => GgmlDType::Q3K,
        12 => GgmlDType::Q4K,
        13 => GgmlDType::Q5K,
        14 => GgmlDType::Q6K,
        30 => GgmlDType::BF16,
        _ => return None,
    })
}

type Head = (HashMap<String, Value>, HashMap<String, Entry>, u64);

fn read_head(bytes: &[u8]) -> Result<Head, Broken> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take(4)? != b"GGUF" {
        return Err(Broken::Wrong { at: 0, what: "not a GGUF file".into() });
    }
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(reader.wrong(format!("GGUF version {version} is not supported: 2 and 3 are")));
    }
    let (tensor_count, key_count) = (reader.u64()?, reader.u64()?);
    let mut metadata = HashMap::new();
    for _ in 0..key_count {
        let key = reader.name()?;
        let kind = reader.u32()?;
        metadata.insert(key, reader.value(kind, 0)?);
    }
    let mut tensors = HashMap::new();
    for _ in 0..tensor_count {
        let name = reader.name()?;
        tensors.insert(name, reader.entry()?);
    }
    let alignment = match metadata.get("general.alignment") {
        None => ALIGNMENT,
        Some(Value::Integer(n @ 1..=65_536)) => *n as u64,
        Some(_) => return Err(reader.wrong("general.alignment is not between 1 and 65536".into())),
    };
    let start = (reader.at as u64).next_multiple_of(alignment);
    Ok((metadata, tensors, start))
}

/// What is wrong with the head of a file.
enum Broken {
    /// It goes on past what was read.
    Truncated {
        at: usize,
    },
    Wrong {
        at: usize,
        what: String,
    },
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Broken::Truncated { at } => write!(f, "the file is cut off: more was expected at offset {at}"),
            Broken::Wrong { at, what } => write!(f, "{what} (at offset {at})"),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: String) -> Broken {
        Broken::Wrong { at: self.at, what }
    }

    fn take(&mut self, n: u64) -> Result<&'a [u8], Broken> {
        let rest = &self.bytes[self.at..];
        let n = usize::try_from(n).ok().filter(|&n| n <= rest.len());
        let n = n.ok_or(Broken::Truncated { at: self.at })?;
        self.at += n;
        Ok(&rest[..n])
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    fn u32(&mut self) -> Result<u32, Broken> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Broken> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn string(&mut self) -> Result<&'a [u8], Broken> {
        let len = self.u64()?;
        self.take(len)
    }

    fn name(&mut self) -> Result<String, Broken> {
        Ok(String::from_utf8_lossy(self.string()?).into_owned())
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<Value, Broken> {
        Ok(match kind {
            0 => Value::Integer(u8::from_le_bytes(self.array()?).into()),
            1 => Value::Integer(i8::from_le_bytes(self.array()?).into()),
            2 => Value::Integer(u16::from_le_bytes(self.array()?).into()),
            3 => Value::Integer(i16::from_le_bytes(self.array()?).into()),
            4 => Value::Integer(self.u32()?.into()),
            5 => Value::Integer(i32::from_le_bytes(self.array()?).into()),
            6 => Value::Float(f32::from_le_bytes(self.array()?).into()),
            7 => Value::Bool(self.array::<1>()?[0] != 0),
            8 => Value::Bytes(self.string()?.to_vec()),
            9 if depth >= MAX_NESTING => return Err(self.wrong("arrays are nested too deep".into())),
            9 => {
                let (kind, len) = (self.u32()?, self.u64()?);
                // No capacity up front: `len` is a claim until the values are there.
                let mut list = Vec::new();
                for _ in 0..len {
                    list.push(self.value(kind, depth + 1)?);
                }
                Value::List(list)
            }
            10 => Value::Integer(self.u64()?.into()),
            11 => Value::Integer(i64::from_le_bytes(self.array()?).into()),
            12 => Value::Float(f64::from_le_bytes(self.array()?)),
            other => return Err(self.wrong(format!("value type {other} does not exist"))),
        })
    }

    fn entry(&mut self) -> Result<Entry, Broken> {
        let rank = self.u32()?;
        if rank > MAX_DIMS {
            return Err(self.wrong(format!("a tensor of {rank} dimensions")));
        }
        let mut dims = Vec::new();
        for _ in 0..rank {
            let dim = self.u64()?;
            dims.push(usize::try_from(dim).map_err(|_| self.wrong(format!("a dimension of {dim}")))?);
        }
        dims.reverse();
        Ok(Entry { dims, dtype: self.u32()?, offset: self.u64()? })
    }
}
