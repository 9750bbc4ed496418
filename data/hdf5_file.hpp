// HDF5 with RAII handles and one exception per failed step; HDF5's own printing is silenced.
// Include in source files only: it brings in HDF5's headers. One thread at a time.
#pragma once
#include <H5Cpp.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ringpose::data {

/// While alive, HDF5 prints nothing in this thread and the innermost message of the last failed call is kept.
class Hdf5Silence {
 public:
  Hdf5Silence();
  ~Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;
  /// For example "truncated file: eof = 100, sblock->base_addr = 0, stored_eof = 200". Empty when nothing failed.
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  static herr_t keep_message(hid_t stack, void* self);

  H5E_auto2_t previous_function_ = nullptr;
  void* previous_data_ = nullptr;
  std::string message_;
};

/// Opens for reading without file locks, which network file systems often refuse. Throws H5::Exception.
[[nodiscard]] H5::H5File open_hdf5_readonly(const std::filesystem::path& path);

/// Creates or truncates a file in the HDF5 1.10 format: an older library refuses it, and one that was not closed is not
/// opened. Objects of at least `alignment_bytes` start at a multiple of it. Throws H5::Exception.
[[nodiscard]] H5::H5File create_hdf5(const std::filesystem::path& path, std::uint64_t alignment_bytes);

/// A new HDF5 file that lives in memory only, in the oldest format that can hold it; file_image() returns its bytes.
[[nodiscard]] H5::H5File create_hdf5_in_memory();
[[nodiscard]] std::string file_image(H5::H5File& file);

/// Type of T in memory, little-endian in files. T: u8, i32, u32, i64, u64, f64.
template <typename T>
[[nodiscard]] const H5::PredType& hdf5_type();

/// Fixed-length UTF-8 text type, padded with zeros.
[[nodiscard]] H5::StrType text_type(std::size_t bytes);

/// Writes a contiguous data set, row-major; product of `shape` = values.size(). An empty shape writes a scalar.
template <typename T>
H5::DataSet write_array(H5::Group& group, const std::string& name, std::span<const T> values,
                        std::vector<hsize_t> shape);
/// Writes texts as a data set of fixed-length strings as long as the longest.
H5::DataSet write_texts(H5::Group& group, const std::string& name, const std::vector<std::string>& texts);
/// Writes one text of any length as a scalar data set.
H5::DataSet write_text(H5::Group& group, const std::string& name, const std::string& text);

/// Reads a data set whose type and shape must be as expected; a length of kAnyLength accepts any. Throws FormatError
/// naming data set, found and expected; throws H5::Exception when HDF5 fails.
inline constexpr hsize_t kAnyLength = ~hsize_t{0};
template <typename T>
[[nodiscard]] std::vector<T> read_array(const H5::Group& group, const std::string& name,
                                        const std::vector<hsize_t>& shape);
[[nodiscard]] std::vector<std::string> read_texts(const H5::Group& group, const std::string& name, hsize_t count);
[[nodiscard]] std::string read_text(const H5::Group& group, const std::string& name);

/// Scalar attributes. read_* throw FormatError when absent or of another type.
void write_attribute(H5::H5Object& object, const std::string& name, std::int64_t value);
void write_attribute(H5::H5Object& object, const std::string& name, const std::string& value);
[[nodiscard]] std::int64_t read_integer_attribute(const H5::H5Object& object, const std::string& name);
[[nodiscard]] std::string read_text_attribute(const H5::H5Object& object, const std::string& name);

}  // namespace ringpose::data
