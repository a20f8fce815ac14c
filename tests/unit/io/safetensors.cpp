// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/safetensors.hpp"

#include <doctest/doctest.h>

#include <array>
#include <span>

// The records; reading and writing have their own files.

namespace {

using enum ctq::stored_dtype;

static_assert(ctq::name_of(f32) == "F32" && ctq::name_of(u64) == "U64");
static_assert(ctq::stored_dtype_named("BF16") == bf16);
static_assert(!ctq::stored_dtype_named("f32") && !ctq::stored_dtype_named(""));
static_assert(ctq::size_of(boolean) == 1 && ctq::size_of(f16) == 2 && ctq::size_of(f64) == 8);

static_assert(ctq::stored_dtype_of<float>() == f32 && ctq::stored_dtype_of<double>() == f64);
static_assert(ctq::stored_dtype_of<std::int8_t>() == i8);
static_assert(ctq::stored_dtype_of<std::uint16_t>() == u16);
static_assert(ctq::stored_dtype_of<std::int64_t>() == i64);
static_assert(!ctq::stored_element<bool> && !ctq::stored_element<long double>);

// Wide elements have the higher dtypes, so that a sort by dtype aligns them.
static_assert([] {
  for (std::size_t i = 1; i < std::size(ctq::stored_dtypes::sizes); ++i)
    if (ctq::stored_dtypes::sizes[i] < ctq::stored_dtypes::sizes[i - 1]) return false;
  return std::size(ctq::stored_dtypes::sizes) == std::size(ctq::stored_dtypes::names);
}());

template <std::int64_t... Extent>
constexpr auto bytes_of_f32 = [] {
  constexpr std::array<std::int64_t, sizeof...(Extent)> shape{Extent...};
  return ctq::byte_count(f32, shape);
}();
constexpr std::int64_t huge = std::int64_t{1} << 62;

static_assert(bytes_of_f32<> == 4);
static_assert(bytes_of_f32<10, 64> == 2560);
static_assert(bytes_of_f32<3, 0> == 0);
static_assert(!bytes_of_f32<-1>);
static_assert(!bytes_of_f32<huge>);
static_assert(!bytes_of_f32<huge, huge, 0>);
static_assert(!bytes_of_f32<0, huge, huge>);

TEST_CASE("values come out as the type they were stored with") {
  const std::vector<float> bias{1.5F, -2.0F, 0.0F};
  const ctq::stored_tensor tensor = ctq::to_store<float>("fc.bias", {3}, bias);
  CHECK(tensor.dtype == f32);
  CHECK(tensor.data.size() == 12);
  const auto values = ctq::values_of<float>(tensor);
  REQUIRE(values);
  CHECK(*values == bias);
}

TEST_CASE("values of another type are rejected, not converted") {
  const std::vector<std::int8_t> weight{1, 2};
  const auto values = ctq::values_of<float>(ctq::to_store<std::int8_t>("fc.weight", {2}, weight));
  REQUIRE(!values);
  CHECK(values.error().message() == "tensor fc.weight: holds I8, F32 was asked for");
}

TEST_CASE("values need no alignment in the file") {
  const std::array<std::byte, 5> bytes{std::byte{9}, std::byte{1}, std::byte{}, std::byte{},
                                       std::byte{}};
  const ctq::stored_tensor odd{"n", i32, {}, std::span{bytes}.subspan(1)};
  CHECK(ctq::values_of<std::int32_t>(odd)->front() == 1);
}

TEST_CASE("a tensor is found by its name only") {
  ctq::tensor_file file;
  CHECK(file.find("a") == nullptr);
  file.tensors = {{"a", u8, {0}, {}}, {"b.c", u8, {0}, {}}};
  CHECK(file.find("b.c") == &file.tensors[1]);
  CHECK(file.find("b") == nullptr);
  CHECK(file.find("z") == nullptr);
}

}  // namespace
