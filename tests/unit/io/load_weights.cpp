// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/load_weights.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ctq/graph/model.hpp"
#include "ctq/io/write_safetensors.hpp"

namespace {

using namespace ctq::literals;

constexpr auto net = ctq::model("x"_n = ctq::nn::placeholder({1, 2}),
                                "fc"_n = ctq::nn::linear("x"_n, {.out_features = 3}),
                                "out"_n = ctq::nn::output("fc"_n));

/// A file with these tensors, as long as it is needed.
struct temporary_file {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / "ctq-test-load-weights.safetensors";

  explicit temporary_file(const std::vector<ctq::stored_tensor>& tensors) {
    REQUIRE(ctq::write_safetensors(path, tensors).has_value());
  }
  ~temporary_file() { std::filesystem::remove(path); }
};

const std::vector<float> six(6, 0.5F);
const std::vector<float> three(3, 0.25F);
const std::vector<std::int64_t> counter = {7};

}  // namespace

TEST_CASE("a file with the model's tensors is read, counters of batches are left out") {
  const temporary_file file{{ctq::to_store<float>("fc.weight", {3, 2}, six),
                             ctq::to_store<float>("fc.bias", {3}, three),
                             ctq::to_store<std::int64_t>("bn.num_batches_tracked", {1}, counter)}};
  const auto weights = ctq::load_weights<net>(file.path);
  REQUIRE(weights);
  CHECK(weights->get().find("fc.weight")->values == six);
}

TEST_CASE("other integers than batch counters are rejected") {
  for (const std::string name :
       {"fc.index", "num_batches_tracked.x", "fc.my_num_batches_tracked"}) {
    const temporary_file file{{ctq::to_store<float>("fc.weight", {3, 2}, six),
                               ctq::to_store<float>("fc.bias", {3}, three),
                               ctq::to_store<std::int64_t>(name, {1}, counter)}};
    const auto weights = ctq::load_weights<net>(file.path);
    REQUIRE(!weights);
    CHECK(weights.error().message() ==
          "ctq-test-load-weights.safetensors: tensor " + name + ": holds I64, F32 was asked for");
  }
}

TEST_CASE("a tensor of another shape is one message with the file, the tensor and both shapes") {
  const temporary_file file{{ctq::to_store<float>("fc.weight", {2, 3}, six),
                             ctq::to_store<float>("fc.bias", {3}, three)}};
  const auto weights = ctq::load_weights<net>(file.path);
  REQUIRE(!weights);
  CHECK(weights.error().message() ==
        "ctq-test-load-weights.safetensors: tensor fc.weight: shape is [2, 3], the model needs "
        "[3, 2]");
}

TEST_CASE("an extent that no model has is rejected, whatever the other extents are") {
  const temporary_file file{{ctq::to_store<float>("fc.weight", {3'000'000'000, 0}, {}),
                             ctq::to_store<float>("fc.bias", {3}, three)}};
  const auto weights = ctq::load_weights<net>(file.path);
  REQUIRE(!weights);
  CHECK(weights.error().message() ==
        "ctq-test-load-weights.safetensors: tensor fc.weight: an extent is larger than any "
        "model's");
}

TEST_CASE("a file that is not there is an error") {
  CHECK(!ctq::load_weights<net>("no such file"));
}
