# One precompiled header for all that stands on LibTorch. ringpose_use_precompiled(TARGET) uses it; its own settings must be a part
# of the target's (GCC compares macros). Not <torch/torch.h>: every file would instantiate all of torch::nn, 10 s each.
# Not CLI11 either: its constants cost every file 4 s.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
add_library(ringpose_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(ringpose_precompiled PRIVATE ringpose_options LibTorch::cpu nlohmann_json::nlohmann_json)
target_precompile_headers(ringpose_precompiled PRIVATE <torch/types.h> <nlohmann/json.hpp>)

function(ringpose_use_precompiled target)
  target_precompile_headers(${target} REUSE_FROM ringpose_precompiled)
endfunction()

# Sources in groups of COUNT: what a header costs, it costs once a group. Names in unnamed namespaces must differ within a library.
# GCC takes a grouped source for a header, in which such a name would be a mistake: -Wno-subobject-linkage.
function(ringpose_group_sources target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${RINGPOSE_UNITY} UNITY_BUILD_BATCH_SIZE ${count})
  if(RINGPOSE_UNITY)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()
