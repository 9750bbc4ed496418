# ringpose_add_unit_test(<name> SOURCES a_test.cpp ... LIBRARIES ringpose::data ... [LABELS unit] [TIMEOUT 300] [SERIAL])
# One executable; gtest cases are registered one by one with the label. In a sanitizer build the executable is one test, as
# starting a process with LibTorch in it takes seconds there. The target ringpose_unit_tests builds all that have the label unit.
add_custom_target(ringpose_unit_tests)
function(ringpose_add_unit_test name)
  cmake_parse_arguments(ARG "SERIAL" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE RINGPOSE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" RINGPOSE_BINARY="$<TARGET_FILE_DIR:ringpose>/ringpose")
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if("unit" IN_LIST ARG_LABELS)
    add_dependencies(ringpose_unit_tests ${name})
  endif()
  if(RINGPOSE_SANITIZE)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 900)
  else()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
      PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()

# ringpose_add_mpi_test(<name> SOURCES ... LIBRARIES ... RANKS 1 2 4 [LABELS mpi] [TIMEOUT 120])
# Runs the executable under mpirun once for each rank count. tests/support/mpi_main.cpp fails when started with another count,
# and makes one failing rank fail the test.
function(ringpose_add_mpi_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBRARIES;RANKS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} ringpose::mpi GTest::gtest GTest::gmock)
  target_compile_definitions(${name} PRIVATE RINGPOSE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT ARG_LABELS)
    set(ARG_LABELS mpi)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  foreach(ranks ${ARG_RANKS})
    add_test(NAME ${name}.${ranks}
      COMMAND ${CMAKE_COMMAND} -E env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
        OMPI_MCA_hwloc_base_binding_policy=none RINGPOSE_TEST_RANKS=${ranks}
        ${MPIEXEC_EXECUTABLE} --oversubscribe --timeout ${ARG_TIMEOUT} -n ${ranks} $<TARGET_FILE:${name}>)
    set_tests_properties(${name}.${ranks} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} PROCESSORS ${ranks})
  endforeach()
endfunction()
