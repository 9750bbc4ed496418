#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "mpi/backend.hpp"

namespace {

using ringpose::mpi::bytes_of;
using ringpose::mpi::DataType;
using ringpose::mpi::name_of;

TEST(DataType, BytesAreThoseOfTheCxxTypes) {
  EXPECT_EQ(bytes_of(DataType::u8), sizeof(std::uint8_t));
  EXPECT_EQ(bytes_of(DataType::i32), sizeof(std::int32_t));
  EXPECT_EQ(bytes_of(DataType::i64), sizeof(std::int64_t));
  EXPECT_EQ(bytes_of(DataType::f16), 16U / 8U);
  EXPECT_EQ(bytes_of(DataType::bf16), 16U / 8U);
  EXPECT_EQ(bytes_of(DataType::f32), sizeof(float));
  EXPECT_EQ(bytes_of(DataType::f64), sizeof(double));
}

TEST(DataType, NamesDiffer) {
  EXPECT_EQ(std::string(name_of(DataType::u8)), "u8");
  EXPECT_EQ(std::string(name_of(DataType::f16)), "f16");
  EXPECT_EQ(std::string(name_of(DataType::bf16)), "bf16");
  EXPECT_EQ(std::string(name_of(DataType::f64)), "f64");
}

}  // namespace
