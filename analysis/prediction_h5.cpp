#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "analysis/pickle_text.hpp"
#include "analysis/prediction_columns.hpp"
#include "analysis/prediction_writer.hpp"
#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "data/hdf5_file.hpp"

namespace ringpose::analysis {
namespace {

constexpr const char* kGroup = "df_with_missing";
constexpr const char* kTable = "table";
constexpr const char* kIndex = "index";
constexpr const char* kBlock = "values_block_0";
constexpr std::size_t kChunkBytes = 256 * 1024;
constexpr std::size_t kMaxAttributeBytes = 64000;  // HDF5 allows 64 KiB for an object header message

/// PyTables tells texts by UTF-8 and pickles by ASCII; an empty text is a null data space.
void put_text(H5::H5Object& object, const char* name, const std::string& value, H5T_cset_t charset = H5T_CSET_UTF8) {
  H5::StrType type(H5::PredType::C_S1, std::max<std::size_t>(value.size(), 1));
  type.setCset(charset);
  const H5::DataSpace space(value.empty() ? H5S_NULL : H5S_SCALAR);
  auto attribute = object.createAttribute(name, type, space);
  if (!value.empty()) attribute.write(type, value.data());
}

void put_pickle(H5::H5Object& object, const char* name, const std::string& piece) {
  put_text(object, name, pickle::complete(piece), H5T_CSET_ASCII);
}

template <typename T>
void put_number(H5::H5Object& object, const char* name, T value, const H5::PredType& type) {
  object.createAttribute(name, type, H5::DataSpace(H5S_SCALAR)).write(type, &value);
}

void put_class(H5::H5Object& object, const char* name, const char* version) {
  put_text(object, "CLASS", name);
  put_text(object, "TITLE", "");
  put_text(object, "VERSION", version);
}

/// [(scorer, bodypart, coordinate), ...]; each text once, then by reference: the attribute must stay below 64 KiB.
std::string column_list(const PredictionTable& table) {
  std::map<std::string, std::size_t> memo;
  const auto mention = [&](const std::string& text) {
    const auto [place, added] = memo.emplace(text, memo.size());
    return added ? pickle::text(text) + fmt::format("p{}\n", place->second) : fmt::format("g{}\n", place->second);
  };
  std::vector<std::string> columns;
  for (const std::string& bodypart : table.bodyparts)
    for (const char* coordinate : kCoordinates) {
      std::string scorer = mention(table.scorer), part = mention(bodypart);
      columns.push_back(pickle::tuple({std::move(scorer), std::move(part), mention(coordinate)}));
    }
  std::string list = pickle::list(columns);
  if (list.size() > kMaxAttributeBytes)
    throw data::ConfigError(
        fmt::format("{} bodyparts are too many for a pandas table in HDF5 (their names take {} bytes, at most {})",
                    table.bodyparts.size(), list.size(), kMaxAttributeBytes));
  return list;
}

std::string level_info() {
  using namespace pickle;
  const std::string names = list({text("scorer"), text("bodyparts"), text("coords")});
  const std::string axis = dictionary({text("names"), names, text("type"), text("MultiIndex")});
  return dictionary({integer(1), axis, text(kIndex), dictionary({}), text(kBlock), dictionary({})});
}

void describe_group(H5::Group& group, const std::string& columns) {
  put_class(group, "GROUP", "1.0");
  put_text(group, "pandas_type", "frame_table");
  put_text(group, "pandas_version", "0.15.2");
  put_text(group, "table_type", "appendable_frame");
  put_text(group, "encoding", "UTF-8");
  put_text(group, "errors", "strict");
  put_text(group, "nan_rep", "nan");
  put_number<std::int64_t>(group, "levels", 1, H5::PredType::STD_I64LE);
  put_pickle(group, "index_cols", pickle::list({pickle::tuple({pickle::integer(0), pickle::text(kIndex)})}));
  put_pickle(group, "values_cols", pickle::list({pickle::text(kBlock)}));
  put_pickle(group, "data_columns", pickle::list({}));
  put_pickle(group, "non_index_axes", pickle::list({pickle::tuple({pickle::integer(1), columns})}));
  put_pickle(group, "info", level_info());
}

void describe_table(H5::DataSet& set, std::int64_t rows, const std::string& columns) {
  put_class(set, "TABLE", "2.7");
  put_number<std::int64_t>(set, "FIELD_0_FILL", 0, H5::PredType::STD_I64LE);
  put_text(set, "FIELD_0_NAME", kIndex);
  put_number<float>(set, "FIELD_1_FILL", 0, H5::PredType::IEEE_F32LE);
  put_text(set, "FIELD_1_NAME", kBlock);
  put_number<std::int64_t>(set, "NROWS", rows, H5::PredType::STD_I64LE);
  put_text(set, "index_kind", "integer");
  put_text(set, "values_block_0_dtype", "float32");
  put_pickle(set, "values_block_0_kind", columns);
  put_pickle(set, "values_block_0_meta", "N");
}

H5::CompType row_type(std::size_t columns) {
  const hsize_t length = columns;
  H5::CompType type(sizeof(std::int64_t) + columns * sizeof(float));
  type.insertMember(kIndex, 0, H5::PredType::STD_I64LE);
  type.insertMember(kBlock, sizeof(std::int64_t), H5::ArrayType(H5::PredType::IEEE_F32LE, 1, &length));
  return type;
}

H5::DataSet create_table(H5::Group& group, hsize_t rows, const H5::CompType& type) {
  const hsize_t unlimited = H5S_UNLIMITED;
  const hsize_t chunk = std::max<hsize_t>(1, kChunkBytes / type.getSize());
  H5::DSetCreatPropList properties;
  properties.setChunk(1, &chunk);
  H5Pset_obj_track_times(properties.getId(), false);  // equal predictions give equal files
  return group.createDataSet(kTable, type, H5::DataSpace(1, &rows, &unlimited), properties);
}

/// Passes rows [first, first+count) between the data set and packed bytes.
template <typename Transfer>
void for_each_block(hsize_t rows, std::size_t row_bytes, const Transfer& transfer) {
  const hsize_t block = std::max<hsize_t>(1, 16 * kChunkBytes / row_bytes);
  for (hsize_t first = 0; first < rows; first += block) transfer(first, std::min(block, rows - first));
}

void write_rows(H5::DataSet& set, const PredictionTable& table, const H5::CompType& type) {
  const std::size_t row_bytes = type.getSize();
  const std::size_t value_bytes = row_bytes - sizeof(std::int64_t);
  std::vector<char> bytes;
  for_each_block(static_cast<hsize_t>(table.frames), row_bytes, [&](hsize_t first, hsize_t count) {
    bytes.resize(count * row_bytes);
    for (hsize_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::int64_t>(first + i);
      std::memcpy(&bytes[i * row_bytes], &index, sizeof index);
      std::memcpy(&bytes[i * row_bytes + sizeof index], table.at(index, 0), value_bytes);
    }
    auto space = set.getSpace();
    space.selectHyperslab(H5S_SELECT_SET, &count, &first);
    set.write(bytes.data(), type, H5::DataSpace(1, &count), space);
  });
}

/// The whole file as bytes: made in memory, since HDF5 cannot close a file cleanly when its disk is full.
std::string file_bytes(const PredictionTable& table) {
  const std::string columns = column_list(table);
  H5::H5File file = data::create_hdf5_in_memory();
  auto root = file.openGroup("/");
  put_class(root, "GROUP", "1.0");
  put_text(root, "PYTABLES_FORMAT_VERSION", "2.1");
  auto group = file.createGroup(kGroup);
  describe_group(group, columns);
  const auto type = row_type(table.bodyparts.size() * kCoordinates.size());
  auto set = create_table(group, static_cast<hsize_t>(table.frames), type);
  describe_table(set, table.frames, columns);
  write_rows(set, table, type);
  set.close();
  group.close();
  root.close();
  return data::file_image(file);
}

std::string get_text(const H5::H5Object& object, const char* name) {
  const auto attribute = object.openAttribute(name);
  std::string value;
  attribute.read(attribute.getDataType(), value);
  return value;
}

std::vector<ColumnName> column_names(const pickle::Value& axes) {
  std::vector<ColumnName> columns;
  const auto* list = axes.items();
  const auto* axis = list != nullptr && !list->empty() ? list->front().items() : nullptr;
  const auto* names = axis != nullptr && axis->size() == 2 ? (*axis)[1].items() : nullptr;
  if (names == nullptr) throw data::FormatError("its columns are not named as pandas does");
  for (const pickle::Value& name : *names) {
    const auto* levels = name.items();
    if (levels == nullptr || levels->size() != kCoordinates.size())
      throw data::FormatError(
          "its columns do not have the levels scorer, bodyparts, coords (a multi-animal file has four)");
    ColumnName column;
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = (*levels)[i].text() ? *(*levels)[i].text() : std::string();
    columns.push_back(std::move(column));
  }
  return columns;
}

void read_rows(const H5::DataSet& set, PredictionTable& table) {
  const auto type = row_type(table.bodyparts.size() * kCoordinates.size());
  const std::size_t row_bytes = type.getSize();
  const auto rows = static_cast<hsize_t>(set.getSpace().getSimpleExtentNpoints());
  const std::size_t columns = table.bodyparts.size() * kCoordinates.size();
  table.frames = static_cast<std::int64_t>(rows);
  table.values_FK3.resize(rows * columns);
  std::vector<char> bytes;
  for_each_block(rows, row_bytes, [&](hsize_t first, hsize_t count) {
    bytes.resize(count * row_bytes);
    auto space = set.getSpace();
    space.selectHyperslab(H5S_SELECT_SET, &count, &first);
    set.read(bytes.data(), type, H5::DataSpace(1, &count), space);
    for (hsize_t i = 0; i < count; ++i) {
      std::int64_t index = 0;
      std::memcpy(&index, &bytes[i * row_bytes], sizeof index);
      if (index != static_cast<std::int64_t>(first + i))
        throw data::FormatError(fmt::format("row {} is frame {}, expected every frame in order", first + i, index));
      std::memcpy(&table.values_FK3[(first + i) * columns], &bytes[i * row_bytes + sizeof index],
                  columns * sizeof(float));
    }
  });
}

PredictionTable read_file(const std::filesystem::path& path) {
  const auto file = data::open_hdf5_readonly(path);
  if (!file.nameExists(kGroup) || !file.openGroup(kGroup).nameExists(kTable))
    throw data::FormatError(
        fmt::format("it has no table /{}/{}, as DeepLabCut's prediction files have", kGroup, kTable));
  const auto group = file.openGroup(kGroup);
  PredictionTable table;
  set_columns(table, column_names(pickle::parse(get_text(group, "non_index_axes"))), path);
  const auto set = group.openDataSet(kTable);
  if (set.getCompType().getNmembers() != 2) throw data::FormatError("its values lie in more than one block");
  read_rows(set, table);
  return table;
}

}  // namespace

void write_prediction_h5(const std::filesystem::path& path, const PredictionTable& table) {
  check_table(table);
  const data::Hdf5Silence silence;
  try {
    data::write_file_atomically(path, file_bytes(table));
  } catch (const H5::Exception&) {
    throw data::IoError(fmt::format("cannot write the predictions {}: {}", path.string(), silence.message()));
  }
}

PredictionTable read_prediction_h5(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) throw data::IoError(data::io_message("read the predictions", path, ENOENT));
  const data::Hdf5Silence silence;
  try {
    return read_file(path);
  } catch (const H5::Exception&) {
    throw data::FormatError(fmt::format("cannot read predictions from {}: {}", path.string(), silence.message()));
  } catch (const data::FormatError& error) {
    throw data::FormatError(fmt::format("cannot read predictions from {}: {}", path.string(), error.what()));
  }
}

}  // namespace ringpose::analysis
