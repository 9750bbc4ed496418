// AdamW over flat lists of tensors, PyTorch's arithmetic (fused kernel). Source: Loshchilov and Hutter 2019;
// torch.optim.AdamW.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ringpose::trainer {

/// torch.optim.AdamW's defaults, which DeepLabCut keeps.
struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  void validate() const;
};

/// Parameters are updated in place from their grad(). State is created at construction (zeros) on the parameters'
/// device.
class AdamW {
 public:
  AdamW(std::vector<torch::Tensor> parameters, AdamWOptions options);
  void step(double learning_rate);
  /// State for checkpoints, in parameter order.
  [[nodiscard]] const std::vector<torch::Tensor>& exp_avg() const { return exp_avg_; }
  [[nodiscard]] const std::vector<torch::Tensor>& exp_avg_sq() const { return exp_avg_sq_; }
  [[nodiscard]] std::int64_t steps_taken() const { return steps_taken_; }
  /// Copies the state in; throws data::FormatError on shape or count mismatch.
  void load_state(const std::vector<torch::Tensor>& exp_avg, const std::vector<torch::Tensor>& exp_avg_sq,
                  std::int64_t steps_taken);

 private:
  std::vector<torch::Tensor> parameters_, exp_avg_, exp_avg_sq_, step_tensors_;
  AdamWOptions options_;
  std::int64_t steps_taken_ = 0;
};

}  // namespace ringpose::trainer
