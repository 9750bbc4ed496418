#include "trainer/safetensors.hpp"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "data/atomic_file.hpp"
#include "data/error.hpp"
#include "trainer/safetensors_header.hpp"

namespace ringpose::trainer {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors stores little-endian numbers");

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

constexpr std::uint64_t kLengthBytes = 8;

File open_file(const std::filesystem::path& path, const char* mode, const char* action) {
  errno = 0;
  File file(std::fopen(path.c_str(), mode));
  if (!file) throw data::IoError(data::io_message(action, path, errno));
  return file;
}

void read_bytes(std::FILE* file, void* destination, std::size_t bytes, const std::filesystem::path& path) {
  errno = 0;
  if (bytes == 0 || std::fread(destination, 1, bytes, file) == bytes) return;
  if (std::ferror(file) != 0) throw data::IoError(data::io_message("read", path, errno));
  throw data::FormatError(fmt::format(
      "Reading {}: it ended early (truncated while it was read?). Fetch or write it again.", path.string()));
}

void write_bytes(std::FILE* file, const void* source, std::size_t bytes, const std::filesystem::path& path) {
  errno = 0;
  if (bytes > 0 && std::fwrite(source, 1, bytes, file) != bytes)
    throw data::IoError(data::io_message("write", path, errno));
}

std::string read_header(std::FILE* file, std::uint64_t file_bytes, const std::filesystem::path& path) {
  const auto fail = [&](const std::string& found) {
    throw data::FormatError(fmt::format(
        "Reading {}: {}. It is damaged or not a safetensors file; fetch or write it again.", path.string(), found));
  };
  if (file_bytes < kLengthBytes) fail(fmt::format("it has {} bytes, too few for a header", file_bytes));
  std::uint64_t length = 0;
  read_bytes(file, &length, kLengthBytes, path);
  if (length > kMaxHeaderBytes)
    fail(fmt::format("its header would have {} bytes, expected at most {}", length, kMaxHeaderBytes));
  if (length > file_bytes - kLengthBytes)
    fail(fmt::format("its header would have {} bytes, but only {} follow", length, file_bytes - kLengthBytes));
  std::string header(length, '\0');
  read_bytes(file, header.data(), header.size(), path);
  return header;
}

std::vector<const SafetensorsEntry*> in_data_order(const std::vector<SafetensorsEntry>& entries) {
  std::vector<const SafetensorsEntry*> order;
  for (const SafetensorsEntry& entry : entries) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
  return order;
}

}  // namespace

TensorFile read_safetensors(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw data::IoError(fmt::format("cannot read {}: it is not a file", path.string()));
  const File file = open_file(path, "rb", "read");
  const std::uint64_t file_bytes = std::filesystem::file_size(path, error);
  if (error) throw data::IoError(data::io_message("read", path, error.value()));
  const std::string text = read_header(file.get(), file_bytes, path);
  const SafetensorsHeader header =
      parse_safetensors_header(text, file_bytes - kLengthBytes - text.size(), path.string());
  TensorFile result{.tensors = {}, .metadata = header.metadata};
  for (const SafetensorsEntry& entry : header.entries)
    result.tensors.emplace_back(entry.name, at::empty(entry.shape, entry.type));
  for (const SafetensorsEntry* entry : in_data_order(header.entries)) {
    torch::Tensor& tensor = result.tensors[static_cast<std::size_t>(entry - header.entries.data())].second;
    read_bytes(file.get(), tensor.mutable_data_ptr(), entry->end - entry->begin, path);
  }
  return result;
}

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  SafetensorsHeader header{.entries = {}, .metadata = file.metadata};
  for (const auto& [name, tensor] : file.tensors)
    header.entries.push_back({.name = name, .type = tensor.scalar_type(), .shape = tensor.sizes().vec()});
  lay_out(header.entries);
  const std::string text = format_safetensors_header(header);
  data::AtomicFile atomic(path);
  File out = open_file(atomic.temporary_path(), "wb", "write");
  const std::uint64_t length = text.size();
  write_bytes(out.get(), &length, kLengthBytes, path);
  write_bytes(out.get(), text.data(), text.size(), path);
  for (const SafetensorsEntry* entry : in_data_order(header.entries)) {
    const torch::Tensor& tensor = file.tensors[static_cast<std::size_t>(entry - header.entries.data())].second;
    const torch::Tensor host =
        tensor.detach().cpu().contiguous();  // one at a time: a copy of all could double the memory
    write_bytes(out.get(), host.const_data_ptr(), entry->end - entry->begin, path);
  }
  errno = 0;
  if (std::fclose(out.release()) != 0) throw data::IoError(data::io_message("write", path, errno));
  atomic.commit();
}

}  // namespace ringpose::trainer
