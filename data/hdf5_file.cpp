#include "data/hdf5_file.hpp"

#include <algorithm>
#include <sstream>
#include <type_traits>

#include "data/error.hpp"

namespace ringpose::data {
namespace {

herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* text) {
  // Walking upwards starts at the innermost call, whose description says most.
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::string shape_text(const std::vector<hsize_t>& shape) {
  std::ostringstream text;
  text << '[';
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text << (i > 0 ? ", " : "");
    if (shape[i] == kAnyLength)
      text << "any";
    else
      text << shape[i];
  }
  text << ']';
  return text.str();
}

H5::DataSet open_dataset(const H5::Group& group, const std::string& name) {
  if (!group.nameExists(name)) throw FormatError("data set '" + name + "' is missing");
  return group.openDataSet(name);
}

std::vector<hsize_t> shape_of(const H5::DataSet& dataset) {
  const H5::DataSpace space = dataset.getSpace();
  std::vector<hsize_t> shape(static_cast<std::size_t>(space.getSimpleExtentNdims()));
  if (!shape.empty()) space.getSimpleExtentDims(shape.data());
  return shape;
}

void check_shape(const H5::DataSet& dataset, const std::string& name, const std::vector<hsize_t>& expected) {
  const auto found = shape_of(dataset);
  bool same = found.size() == expected.size();
  for (std::size_t i = 0; same && i < found.size(); ++i) same = expected[i] == kAnyLength || expected[i] == found[i];
  if (!same)
    throw FormatError("data set '" + name + "' has shape " + shape_text(found) + ", expected " + shape_text(expected));
}

void check_type(const H5::DataSet& dataset, const std::string& name, const H5::DataType& expected) {
  if (!(dataset.getDataType() == expected)) throw FormatError("data set '" + name + "' has an unexpected number type");
}

std::size_t text_bytes(const H5::DataSet& dataset, const std::string& name) {
  const H5::DataType type = dataset.getDataType();
  if (type.getClass() != H5T_STRING || type.isVariableStr())
    throw FormatError("data set '" + name + "' does not hold fixed-length texts");
  return type.getSize();
}

std::string without_padding(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

H5::Attribute open_attribute(const H5::H5Object& object, const std::string& name, H5T_class_t type_class) {
  if (!object.attrExists(name)) throw FormatError("attribute '" + name + "' is missing");
  const H5::Attribute attribute = object.openAttribute(name);
  if (attribute.getTypeClass() != type_class || attribute.getSpace().getSimpleExtentNpoints() != 1)
    throw FormatError("attribute '" + name + "' has an unexpected type");
  return attribute;
}

}  // namespace

Hdf5Silence::Hdf5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &previous_function_, &previous_data_);
  H5Eset_auto2(H5E_DEFAULT, &Hdf5Silence::keep_message, this);
}

Hdf5Silence::~Hdf5Silence() {
  H5Eset_auto2(H5E_DEFAULT, previous_function_, previous_data_);
}

herr_t Hdf5Silence::keep_message(hid_t stack, void* self) {
  return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, &static_cast<Hdf5Silence*>(self)->message_);
}

H5::H5File open_hdf5_readonly(const std::filesystem::path& path) {
  H5::FileAccPropList access;
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.getId(), false, true);
#endif
  return H5::H5File(path.c_str(), H5F_ACC_RDONLY, H5::FileCreatPropList::DEFAULT, access);
}

H5::H5File create_hdf5(const std::filesystem::path& path, std::uint64_t alignment_bytes) {
  H5::FileAccPropList access;
  access.setLibverBounds(H5F_LIBVER_V110, H5F_LIBVER_V110);
  access.setAlignment(alignment_bytes, alignment_bytes);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.getId(), false, true);
#endif
  return H5::H5File(path.c_str(), H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, access);
}

H5::H5File create_hdf5_in_memory() {
  H5::FileAccPropList access;
  constexpr std::size_t kIncrementBytes = std::size_t{1} << 20;
  access.setCore(kIncrementBytes, false);
  return H5::H5File("in_memory.h5", H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, access);
}

std::string file_image(H5::H5File& file) {
  file.flush(H5F_SCOPE_GLOBAL);
  const ssize_t bytes = H5Fget_file_image(file.getId(), nullptr, 0);
  if (bytes < 0) throw H5::FileIException("H5Fget_file_image", "no file image");
  std::string image(static_cast<std::size_t>(bytes), '\0');
  if (H5Fget_file_image(file.getId(), image.data(), image.size()) != bytes)
    throw H5::FileIException("H5Fget_file_image", "no file image");
  return image;
}

template <typename T>
const H5::PredType& hdf5_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5::PredType::STD_U8LE;
  if constexpr (std::is_same_v<T, std::int32_t>) return H5::PredType::STD_I32LE;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5::PredType::STD_U32LE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5::PredType::STD_I64LE;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5::PredType::STD_U64LE;
  if constexpr (std::is_same_v<T, double>) return H5::PredType::IEEE_F64LE;
}

H5::StrType text_type(std::size_t bytes) {
  H5::StrType type(H5::PredType::C_S1, std::max<std::size_t>(bytes, 1));
  type.setCset(H5T_CSET_UTF8);
  type.setStrpad(H5T_STR_NULLPAD);
  return type;
}

namespace {

/// No time of writing in the file: equal contents give equal files.
H5::DSetCreatPropList without_times() {
  H5::DSetCreatPropList properties;
  H5Pset_obj_track_times(properties.getId(), false);
  return properties;
}

}  // namespace

template <typename T>
H5::DataSet write_array(H5::Group& group, const std::string& name, std::span<const T> values,
                        std::vector<hsize_t> shape) {
  const H5::DataSpace space =
      shape.empty() ? H5::DataSpace() : H5::DataSpace(static_cast<int>(shape.size()), shape.data());
  H5::DataSet dataset = group.createDataSet(name, hdf5_type<T>(), space, without_times());
  if (!values.empty()) dataset.write(values.data(), hdf5_type<T>());
  return dataset;
}

H5::DataSet write_texts(H5::Group& group, const std::string& name, const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string buffer(longest * texts.size(), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::copy(texts[i].begin(), texts[i].end(), buffer.begin() + static_cast<std::ptrdiff_t>(i * longest));
  const hsize_t count = texts.size();
  H5::DataSet dataset = group.createDataSet(name, text_type(longest), H5::DataSpace(1, &count), without_times());
  if (!texts.empty()) dataset.write(buffer.data(), text_type(longest));
  return dataset;
}

H5::DataSet write_text(H5::Group& group, const std::string& name, const std::string& text) {
  const H5::StrType type = text_type(text.size());
  H5::DataSet dataset = group.createDataSet(name, type, H5::DataSpace(), without_times());
  dataset.write(text.empty() ? std::string(1, '\0').data() : text.data(), type);
  return dataset;
}

template <typename T>
std::vector<T> read_array(const H5::Group& group, const std::string& name, const std::vector<hsize_t>& shape) {
  const H5::DataSet dataset = open_dataset(group, name);
  check_type(dataset, name, hdf5_type<T>());
  check_shape(dataset, name, shape);
  std::vector<T> values(static_cast<std::size_t>(dataset.getSpace().getSimpleExtentNpoints()));
  if (!values.empty()) dataset.read(values.data(), hdf5_type<T>());
  return values;
}

std::vector<std::string> read_texts(const H5::Group& group, const std::string& name, hsize_t count) {
  const H5::DataSet dataset = open_dataset(group, name);
  const std::size_t bytes = text_bytes(dataset, name);
  check_shape(dataset, name, {count});
  const auto found = static_cast<std::size_t>(dataset.getSpace().getSimpleExtentNpoints());
  std::string buffer(found * bytes, '\0');
  if (!buffer.empty()) dataset.read(buffer.data(), dataset.getDataType());
  std::vector<std::string> texts(found);
  for (std::size_t i = 0; i < found; ++i) texts[i] = without_padding(buffer.substr(i * bytes, bytes));
  return texts;
}

std::string read_text(const H5::Group& group, const std::string& name) {
  const H5::DataSet dataset = open_dataset(group, name);
  std::string text(text_bytes(dataset, name), '\0');
  check_shape(dataset, name, {});
  dataset.read(text.data(), dataset.getDataType());
  return without_padding(std::move(text));
}

void write_attribute(H5::H5Object& object, const std::string& name, std::int64_t value) {
  object.createAttribute(name, H5::PredType::STD_I64LE, H5::DataSpace()).write(H5::PredType::NATIVE_INT64, &value);
}

void write_attribute(H5::H5Object& object, const std::string& name, const std::string& value) {
  const H5::StrType type = text_type(value.size());
  object.createAttribute(name, type, H5::DataSpace())
      .write(type, value.empty() ? std::string(1, '\0').data() : value.data());
}

std::int64_t read_integer_attribute(const H5::H5Object& object, const std::string& name) {
  std::int64_t value = 0;
  open_attribute(object, name, H5T_INTEGER).read(H5::PredType::NATIVE_INT64, &value);
  return value;
}

std::string read_text_attribute(const H5::H5Object& object, const std::string& name) {
  const H5::Attribute attribute = open_attribute(object, name, H5T_STRING);
  if (attribute.getDataType().isVariableStr()) throw FormatError("attribute '" + name + "' has an unexpected type");
  std::string value(attribute.getDataType().getSize(), '\0');
  attribute.read(attribute.getDataType(), value.data());
  return without_padding(std::move(value));
}

// The number types of the packed format.
template const H5::PredType& hdf5_type<std::uint8_t>();
template H5::DataSet write_array(H5::Group&, const std::string&, std::span<const std::uint8_t>, std::vector<hsize_t>);
template std::vector<std::uint8_t> read_array(const H5::Group&, const std::string&, const std::vector<hsize_t>&);
template const H5::PredType& hdf5_type<std::int32_t>();
template H5::DataSet write_array(H5::Group&, const std::string&, std::span<const std::int32_t>, std::vector<hsize_t>);
template std::vector<std::int32_t> read_array(const H5::Group&, const std::string&, const std::vector<hsize_t>&);
template const H5::PredType& hdf5_type<std::uint32_t>();
template H5::DataSet write_array(H5::Group&, const std::string&, std::span<const std::uint32_t>, std::vector<hsize_t>);
template std::vector<std::uint32_t> read_array(const H5::Group&, const std::string&, const std::vector<hsize_t>&);
template const H5::PredType& hdf5_type<std::int64_t>();
template H5::DataSet write_array(H5::Group&, const std::string&, std::span<const std::int64_t>, std::vector<hsize_t>);
template std::vector<std::int64_t> read_array(const H5::Group&, const std::string&, const std::vector<hsize_t>&);
template const H5::PredType& hdf5_type<std::uint64_t>();
template H5::DataSet write_array(H5::Group&, const std::string&, std::span<const std::uint64_t>, std::vector<hsize_t>);
template std::vector<std::uint64_t> read_array(const H5::Group&, const std::string&, const std::vector<hsize_t>&);
template const H5::PredType& hdf5_type<double>();
template H5::DataSet write_array(H5::Group&, const std::string&, std::span<const double>, std::vector<hsize_t>);
template std::vector<double> read_array(const H5::Group&, const std::string&, const std::vector<hsize_t>&);

}  // namespace ringpose::data
