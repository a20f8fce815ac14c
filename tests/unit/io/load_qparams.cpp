// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/load_qparams.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ctq/io/write_safetensors.hpp"
#include "qat_network.hpp"

using namespace ctq;

namespace {

constexpr float scales[] = {0.5F, 0.25F};
constexpr std::int32_t zero_points[] = {3, 0};

stored_tensor scale(std::string name, std::size_t count = 1) {
  return to_store<float>(std::move(name), {static_cast<std::int64_t>(count)},
                         std::span(scales).first(count));
}
stored_tensor zero_point(std::string name, std::size_t count = 1) {
  return to_store<std::int32_t>(std::move(name), {static_cast<std::int64_t>(count)},
                                std::span(zero_points).first(count));
}

result<named_qparams> read(std::vector<stored_tensor> tensors) {
  const quantized_net::temporary_file file;
  REQUIRE(write_safetensors(file.name(), tensors, {}));
  return load_qparams(file_path(file.name()));
}

std::string error_in(std::vector<stored_tensor> tensors) {
  const auto found = read(std::move(tensors));
  if (found) return "";
  const std::string message = found.error().message();
  return message.substr(message.find(": ") + 2);  // after the file's name
}

}  // namespace

TEST_CASE("values have a scale and a zero point, weights one or one for each output") {
  const auto found = read({scale("a.output_scale"), zero_point("a.output_zero_point"),
                           scale("b.fc.weight_scale", 2), zero_point("b.fc.weight_zero_point", 2)});
  REQUIRE(found);
  CHECK(found->values.at("a") == qparams{0.5F, 3});
  CHECK(found->weights.at("b.fc").scale == std::vector<float>{0.5F, 0.25F});
  CHECK(found->weights.at("b.fc").zero_point == std::vector<std::int32_t>{3, 0});
}

TEST_CASE("a node is found by its name, else by the path of its module") {
  named_qparams all;
  all.values["relu_1"] = {2.0F, 0};
  all.values["block.relu"] = {1.0F, 0};
  fx_row row;
  row.target = "block.relu";
  node first{.name = "block_relu", .row = &row};
  node second{.name = "relu_1", .row = &row};
  CHECK(all.find(first)->scale == 1.0F);
  CHECK(all.find(second)->scale == 2.0F);
  row.target = "other";
  CHECK(all.find(first) == nullptr);
}

TEST_CASE("what is no file of qparams is an error") {
  CHECK(error_in({scale("a.output_scale")}) == "tensor a.output_zero_point: is missing");
  CHECK(error_in({scale("a.output_scale", 2), zero_point("a.output_zero_point", 2)}) ==
        "tensor a.output_scale: has 2 elements, a value has one scale");
  CHECK(error_in({scale("a.weight_scale", 2), zero_point("a.weight_zero_point")}) ==
        "tensor a.weight_scale: has 2 elements, its zero point 1");
  CHECK(error_in({scale("a.weight")}) == "tensor a.weight: is no scale and no zero point");
  CHECK(error_in({scale("a.weight_scale"), scale("a.weight_zero_point")})
            .starts_with("tensor a.weight_zero_point: "));
}
