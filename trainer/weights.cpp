#include "trainer/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "data/error.hpp"
#include "trainer/safetensors.hpp"

namespace ringpose::trainer {

namespace {

constexpr std::string_view kBackbonePrefix = "backbone.model.";
constexpr std::string_view kHeadPrefix = "heads.";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& found) {
  throw data::FormatError(fmt::format("Loading initial weights from {}: {}", path.string(), found));
}

/// GroupNorm and BatchNorm share names and shapes of gains, so only the running statistics give a foreign network away.
void refuse_batch_norm(const TensorFile& file, const std::filesystem::path& path) {
  for (const auto& [name, tensor] : file.tensors)
    if (name.ends_with("running_mean"))
      fail(path, fmt::format("it holds a BatchNorm network ('{}'), expected GroupNorm (timm's resnet50_gn).", name));
}

/// Tensors of the file under the model's names.
std::map<std::string, torch::Tensor> by_model_name(const TensorFile& file) {
  const bool deeplabcut_names = std::any_of(file.tensors.begin(), file.tensors.end(),
                                            [](const auto& item) { return item.first.starts_with(kBackbonePrefix); });
  std::map<std::string, torch::Tensor> named;
  for (const auto& [name, tensor] : file.tensors)
    named.emplace(deeplabcut_names ? name : std::string(kBackbonePrefix) + name, tensor);
  return named;
}

void check_tensor(const std::string& name, const torch::Tensor& found, const torch::Tensor& expected,
                  const std::filesystem::path& path) {
  if (found.sizes() != expected.sizes())
    fail(path, fmt::format("'{}' has shape [{}], expected [{}]. Is it of another network, or of other bodyparts?", name,
                           fmt::join(found.sizes(), ","), fmt::join(expected.sizes(), ",")));
  if (!found.is_floating_point())
    fail(path,
         fmt::format("'{}' has type {}, expected floating point numbers.", name, c10::toString(found.scalar_type())));
  if (!found.isfinite().all().item<bool>()) fail(path, fmt::format("'{}' holds NaN or infinite values.", name));
}

}  // namespace

WeightReport load_initial_weights(PoseModel& model, const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  refuse_batch_norm(file, path);
  std::map<std::string, torch::Tensor> named = by_model_name(file);
  const bool with_heads =
      std::any_of(named.begin(), named.end(), [](const auto& item) { return item.first.starts_with(kHeadPrefix); });
  std::vector<std::pair<torch::Tensor, torch::Tensor>> copies;  // model, file: copied only when all of them fit
  std::vector<std::string> missing;
  for (const auto& item : model.named_parameters()) {
    const auto found = named.find(item.key());
    if (found != named.end()) {
      check_tensor(item.key(), found->second, item.value(), path);
      copies.emplace_back(item.value(), found->second);
      named.erase(found);
    } else if (with_heads || item.key().starts_with(kBackbonePrefix)) {
      missing.push_back(item.key());
    }
  }
  if (!missing.empty())
    fail(path, fmt::format(
                   "{} tensors of {} are missing, the first is '{}'. Expected timm's names (layer1.0.conv1.weight) or "
                   "DeepLabCut's (backbone.model.layer1.0.conv1.weight).",
                   missing.size(), model.options().net_type, missing.front()));
  const torch::NoGradGuard no_grad;
  for (auto& [parameter, value] : copies) parameter.copy_(value);
  WeightReport report{.loaded = static_cast<int>(copies.size()), .ignored = {}};
  for (const auto& [name, tensor] : file.tensors)
    if (named.contains(name) || named.contains(std::string(kBackbonePrefix) + name)) report.ignored.push_back(name);
  return report;
}

}  // namespace ringpose::trainer
