# One precompiled header for all that stands on LibTorch. ringpose_use_precompiled(TARGET) uses it; its own settings must be a part
# of the target's (GCC compares macros). Not <torch/torch.h>: every file would instantiate all of torch::nn, 10 s each.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
add_library(ringpose_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(ringpose_precompiled PRIVATE ringpose_options LibTorch::cpu nlohmann_json::nlohmann_json CLI11::CLI11)
target_precompile_headers(ringpose_precompiled PRIVATE <torch/types.h> <nlohmann/json.hpp> <CLI/CLI.hpp>)

function(ringpose_use_precompiled target)
  target_precompile_headers(${target} REUSE_FROM ringpose_precompiled)
endfunction()
