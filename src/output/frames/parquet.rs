//! Tables as Parquet files: a row group, not compressed.

use super::table::{Column, Table};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// The content of a file.
///
/// # Errors
/// What the writer says, as an error of writing.
pub(super) fn file(table: &Table<'_>) -> std::io::Result<Vec<u8>> {
    written(table).map_err(std::io::Error::other)
}

fn written(table: &Table<'_>) -> Result<Vec<u8>> {
    let fields: Result<_> = table.columns.iter().map(field).collect();
    let schema = Type::group_type_builder("table").with_fields(fields?);
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema.build()?), properties)?;
    let mut group = file.next_row_group()?;
    let mut columns = table.columns.iter();
    while let (Some(mut writer), Some((_, column))) = (group.next_column()?, columns.next()) {
        match column {
            Column::Integers(values) => {
                writer
                    .typed::<Int64Type>()
                    .write_batch(values, None, None)?;
            }
            Column::Numbers(values) => {
                writer
                    .typed::<DoubleType>()
                    .write_batch(values, None, None)?;
            }
            Column::Texts(values) => {
                let values: Vec<_> = values.iter().map(|&text| text.into()).collect();
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&values, None, None)?;
            }
        }
        writer.close()?;
    }
    group.close()?;
    file.into_inner()
}

/// A column in the file's schema: every row has a value.
fn field((name, column): &(&'static str, Column<'_>)) -> Result<TypePtr> {
    let (kind, meaning) = match column {
        Column::Integers(_) => (Physical::INT64, None),
        Column::Numbers(_) => (Physical::DOUBLE, None),
        Column::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let field = Type::primitive_type_builder(name, kind)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(meaning);
    field.build().map(Arc::new)
}
