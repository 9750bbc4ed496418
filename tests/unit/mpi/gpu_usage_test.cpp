#include <gtest/gtest.h>

#include <utility>

#include "mpi/gpu_usage.hpp"

namespace {

using ringpose::mpi::GpuMonitor;

TEST(GpuMonitor, IsEmptyWithoutLibrary) {
  EXPECT_FALSE(GpuMonitor::open("0000:1b:00.0", "libnot-there.so.1").has_value());
  EXPECT_FALSE(GpuMonitor::open("0000:1b:00.0", "libm.so.6").has_value());  // a library without NVML's functions
}

TEST(GpuMonitor, IsEmptyWithoutDriver) {
  EXPECT_FALSE(GpuMonitor::open("0000:1b:00.0", RINGPOSE_FAKE_NVML_NO_DRIVER).has_value());
}

TEST(GpuMonitor, FindsTheGpuByBusId) {
  EXPECT_FALSE(GpuMonitor::open("0000:2c:00.0", RINGPOSE_FAKE_NVML).has_value());
  EXPECT_TRUE(GpuMonitor::open("0000:1b:00.0", RINGPOSE_FAKE_NVML).has_value());
}

TEST(GpuMonitor, ReadsUtilizationAndMemory) {
  auto opened = GpuMonitor::open("0000:1b:00.0", RINGPOSE_FAKE_NVML);
  if (!opened.has_value()) FAIL() << "the fake library has this GPU";
  const GpuMonitor monitor = std::move(*opened);
  const auto usage = monitor.sample();
  if (!usage.has_value()) FAIL() << "the fake library answers";
  EXPECT_EQ(usage->utilization_percent, 73);
  EXPECT_EQ(usage->memory_used_bytes, 5368709120U);
  EXPECT_EQ(usage->memory_total_bytes, 150754820096U);
}

}  // namespace
