//! HDF5 as far as a file needs it whose datasets have a fixed place and size: groups, contiguous datasets, attributes.
//!
//! After the HDF5 File Format Specification 3.0: superblock of version 2, object headers of version 2, links in them. Numbers are
//! little-endian. Who writes a file bit by bit makes all metadata first, and puts values where it says; a [`Node`] is a file that is made in memory.

/// Length of the superblock `[bytes]`.
pub(crate) const SUPERBLOCK: usize = 48;
const UNDEFINED: u64 = u64::MAX;

/// Types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    U8,
    I32,
    I64,
    F32,
    F64,
    /// A text in UTF-8 of so many bytes, the last of which is 0.
    #[cfg(feature = "fclib")]
    Text(u32),
}

impl Type {
    /// Length of a value `[bytes]`.
    pub(crate) fn size(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
            #[cfg(feature = "fclib")]
            Self::Text(length) => u64::from(length),
        }
    }

    /// A datatype message.
    fn message(self) -> Vec<u8> {
        let bits = (8 * self.size()) as u16;
        match self {
            Self::U8 => fixed_point(bits, false),
            Self::I32 | Self::I64 => fixed_point(bits, true),
            Self::F32 => floating_point(bits, 8, 23, 127),
            Self::F64 => floating_point(bits, 11, 52, 1023),
            #[cfg(feature = "fclib")]
            Self::Text(length) => {
                let mut message = vec![0x13, 0x10, 0, 0];
                message.extend(length.to_le_bytes());
                message
            }
        }
    }
}

fn fixed_point(bits: u16, is_signed: bool) -> Vec<u8> {
    let mut message = vec![0x10, u8::from(is_signed) << 3, 0, 0];
    message.extend((u32::from(bits) / 8).to_le_bytes());
    message.extend(0_u16.to_le_bytes());
    message.extend(bits.to_le_bytes());
    message
}

fn floating_point(bits: u16, exponent: u8, mantissa: u8, bias: u32) -> Vec<u8> {
    // The leading bit of the mantissa is implied; the sign is the highest bit.
    let mut message = vec![0x11, 0x20, bits as u8 - 1, 0];
    message.extend((u32::from(bits) / 8).to_le_bytes());
    message.extend(0_u16.to_le_bytes());
    message.extend(bits.to_le_bytes());
    message.extend([mantissa, exponent, 0, mantissa]);
    message.extend(bias.to_le_bytes());
    message
}

/// A dataspace message; of no dimensions a scalar.
fn dataspace(shape: &[u64]) -> Vec<u8> {
    let mut message = vec![2, shape.len() as u8, 0, u8::from(!shape.is_empty())];
    message.extend(shape.iter().flat_map(|side| side.to_le_bytes()));
    message
}

/// An attribute, as a message of an object header.
pub(crate) struct Attribute {
    name: &'static str,
    datatype: Vec<u8>,
    dataspace: Vec<u8>,
    value: Vec<u8>,
}

impl Attribute {
    /// A number.
    pub(crate) fn integer(name: &'static str, value: i64) -> Self {
        Self {
            name,
            datatype: Type::I64.message(),
            dataspace: dataspace(&[]),
            value: value.to_le_bytes().to_vec(),
        }
    }

    /// Numbers.
    pub(crate) fn integers(name: &'static str, values: &[i64]) -> Self {
        Self {
            dataspace: dataspace(&[values.len() as u64]),
            value: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
            ..Self::integer(name, 0)
        }
    }

    /// A text in ASCII of fixed length.
    pub(crate) fn text(name: &'static str, value: &str) -> Self {
        // Padded by zeros.
        let mut datatype = vec![0x13, 1, 0, 0];
        datatype.extend((value.len() as u32).to_le_bytes());
        Self {
            name,
            datatype,
            dataspace: dataspace(&[]),
            value: value.as_bytes().to_vec(),
        }
    }

    fn message(&self) -> Vec<u8> {
        let mut message = vec![3, 0];
        for length in [
            self.name.len() + 1,
            self.datatype.len(),
            self.dataspace.len(),
        ] {
            message.extend((length as u16).to_le_bytes());
        }
        message.push(0);
        message.extend(self.name.as_bytes());
        message.push(0);
        for part in [&self.datatype, &self.dataspace, &self.value] {
            message.extend(part);
        }
        message
    }
}

/// The object header of a group.
pub(crate) fn group(attributes: &[Attribute], links: &[(String, u64)]) -> Vec<u8> {
    let mut messages = Vec::new();
    // Attributes first: their place does not depend on the links.
    for attribute in attributes {
        push(&mut messages, 0x0c, &attribute.message());
    }
    let mut info = vec![0, 0];
    info.extend(
        [UNDEFINED, UNDEFINED]
            .iter()
            .flat_map(|at| at.to_le_bytes()),
    );
    push(&mut messages, 0x02, &info);
    push(&mut messages, 0x0a, &[0, 0]);
    for (name, at) in links {
        let mut link = vec![1, 0, name.len() as u8];
        link.extend(name.as_bytes());
        link.extend(at.to_le_bytes());
        push(&mut messages, 0x06, &link);
    }
    header(&messages)
}

/// The object header of a contiguous dataset whose values are at an address.
pub(crate) fn dataset(kind: Type, shape: &[u64], at: u64) -> Vec<u8> {
    let size = shape.iter().product::<u64>() * kind.size();
    let mut layout = vec![3, 1];
    layout.extend(if size == 0 { UNDEFINED } else { at }.to_le_bytes());
    layout.extend(size.to_le_bytes());
    let mut messages = Vec::new();
    push(&mut messages, 0x01, &dataspace(shape));
    push(&mut messages, 0x03, &kind.message());
    // No fill value; space is there from the start.
    push(&mut messages, 0x05, &[3, 0x09]);
    push(&mut messages, 0x08, &layout);
    header(&messages)
}

fn push(messages: &mut Vec<u8>, kind: u8, message: &[u8]) {
    messages.push(kind);
    messages.extend((message.len() as u16).to_le_bytes());
    messages.push(0);
    messages.extend(message);
}

/// Bytes before the messages of an object header.
const PREFIX: usize = 10;

fn header(messages: &[u8]) -> Vec<u8> {
    // Four bytes for the length of what follows.
    let mut header = b"OHDR\x02\x02".to_vec();
    header.extend((messages.len() as u32).to_le_bytes());
    header.extend(messages);
    sealed(header)
}

/// Address of the values in the object header of a dataset.
pub(crate) fn address(dataset: &[u8]) -> Option<u64> {
    // The layout is the last message, and ends with the address and the size.
    let at = dataset.len().checked_sub(20)?;
    let address = u64::from_le_bytes(*dataset[at..].first_chunk()?);
    (address != UNDEFINED).then_some(address)
}

/// Length of the object header that begins here; nothing if none does.
pub(crate) fn header_length(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"OHDR\x02\x02")?;
    let length = u32::from_le_bytes(*rest.first_chunk()?);
    Some(PREFIX + length as usize + 4)
}

/// Place of the value of a group's first attribute in its object header; see [`Attribute::integer`].
pub(crate) fn first_integer(name: &str) -> usize {
    // The message's own head, then name, datatype and scalar dataspace.
    PREFIX + 4 + 9 + name.len() + 1 + Type::I64.message().len() + dataspace(&[]).len()
}

/// The superblock of a file of some length, and the address of its root group.
pub(crate) fn superblock(root: u64, length: u64) -> Vec<u8> {
    let mut block = b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00".to_vec();
    for at in [0, UNDEFINED, length, root] {
        block.extend(u64::to_le_bytes(at));
    }
    sealed(block)
}

/// A group or a dataset of a file that is made in memory.
#[cfg(feature = "fclib")]
#[derive(Debug)]
pub(crate) enum Node {
    /// Members by their names.
    Group(Vec<(&'static str, Self)>),
    /// Values of a type and shape, as bytes.
    Dataset(Type, Vec<u64>, Vec<u8>),
}

#[cfg(feature = "fclib")]
impl Node {
    /// A text.
    pub(crate) fn text(text: &str) -> Self {
        let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).chain([0]).collect();
        Self::Dataset(Type::Text(bytes.len() as u32), Vec::new(), bytes)
    }

    /// Whole numbers, in one dimension.
    pub(crate) fn integers(values: &[i32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        Self::Dataset(Type::I32, vec![values.len() as u64], bytes.collect())
    }

    /// Numbers, in one dimension.
    pub(crate) fn numbers(values: &[f64]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        Self::Dataset(Type::F64, vec![values.len() as u64], bytes.collect())
    }

    /// The file of which this is the root.
    pub(crate) fn into_file(self) -> Vec<u8> {
        let mut file = vec![0; SUPERBLOCK];
        let root = self.append_to(&mut file);
        let length = file.len() as u64;
        file[..SUPERBLOCK].copy_from_slice(&superblock(root, length));
        file
    }

    /// Appends what is in it, then its object header, and returns the address of that.
    fn append_to(self, file: &mut Vec<u8>) -> u64 {
        let put = |file: &mut Vec<u8>, bytes: &[u8]| {
            let at = file.len() as u64;
            file.extend(bytes);
            file.resize(file.len().next_multiple_of(8), 0);
            at
        };
        let header = match self {
            Self::Dataset(kind, shape, bytes) => {
                let at = put(file, &bytes);
                dataset(kind, &shape, at)
            }
            Self::Group(members) => {
                let links = members.into_iter();
                let links = links.map(|(name, node)| (name.to_owned(), node.append_to(file)));
                group(&[], &links.collect::<Vec<_>>())
            }
        };
        put(file, &header)
    }
}

/// Metadata with its checksum.
fn sealed(mut block: Vec<u8>) -> Vec<u8> {
    block.extend(checksum(&block).to_le_bytes());
    block
}

/// Makes the checksum at the end of a block that of its content again.
pub(crate) fn seal(block: &mut Vec<u8>) {
    block.truncate(block.len() - 4);
    block.extend(checksum(block).to_le_bytes());
}

/// True if the checksum at its end is that of a block.
pub(crate) fn is_sealed(block: &[u8]) -> bool {
    block
        .split_last_chunk()
        .is_some_and(|(content, &sum)| checksum(content) == u32::from_le_bytes(sum))
}

/// Jenkins' lookup3 (`hashlittle`, initial value 0), the checksum of HDF5's metadata.
fn checksum(bytes: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let [mut a, mut b, mut c] = [start; 3];
    // The last block, also a whole one, is mixed in another way.
    let blocks = bytes.len().saturating_sub(1) / 12;
    let word = |bytes: &[u8], at: usize| {
        (0..4).fold(0, |word, place| {
            let byte = bytes.get(4 * at + place).copied().unwrap_or(0);
            word | u32::from(byte) << (8 * place)
        })
    };
    for block in bytes.chunks(12).take(blocks) {
        a = a.wrapping_add(word(block, 0));
        b = b.wrapping_add(word(block, 1));
        c = c.wrapping_add(word(block, 2));
        a = (a.wrapping_sub(c)) ^ c.rotate_left(4);
        c = c.wrapping_add(b);
        b = (b.wrapping_sub(a)) ^ a.rotate_left(6);
        a = a.wrapping_add(c);
        c = (c.wrapping_sub(b)) ^ b.rotate_left(8);
        b = b.wrapping_add(a);
        a = (a.wrapping_sub(c)) ^ c.rotate_left(16);
        c = c.wrapping_add(b);
        b = (b.wrapping_sub(a)) ^ a.rotate_left(19);
        a = a.wrapping_add(c);
        c = (c.wrapping_sub(b)) ^ b.rotate_left(4);
        b = b.wrapping_add(a);
    }
    let last = &bytes[12 * blocks..];
    if last.is_empty() {
        return c;
    }
    a = a.wrapping_add(word(last, 0));
    b = b.wrapping_add(word(last, 1));
    c = c.wrapping_add(word(last, 2));
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn the_checksum_of_lookup3s_own_example() {
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
    }
}
