#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "mpi/cpu_quota.hpp"

namespace {

namespace fs = std::filesystem;
using ringpose::mpi::cpu_quota;

/// A made-up /proc and /sys.
class CpuQuota : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ringpose-quota-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  fs::path root_;
};

TEST_F(CpuQuota, IsEmptyWithoutGroups) {
  EXPECT_FALSE(cpu_quota(root_).has_value());
}

TEST_F(CpuQuota, ReadsVersion2) {
  put("proc/self/cgroup", "0::/user.slice/job\n");
  put("sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 1.5);
}

TEST_F(CpuQuota, TakesTheSmallestOfTheGroupsAbove) {
  put("proc/self/cgroup", "0::/a/b/c\n");
  put("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 3.0);
}

TEST_F(CpuQuota, NoLimitIsEmpty) {
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_FALSE(cpu_quota(root_).has_value());
}

TEST_F(CpuQuota, ReadsTheMountOfAContainer) {
  put("proc/self/cgroup", "0::/../../pod7\n");
  put("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpu_quota(root_), 4.0);
}

TEST_F(CpuQuota, ReadsVersion1) {
  put("proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root_), 2.5);
  put("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(cpu_quota(root_).has_value());
}

}  // namespace
