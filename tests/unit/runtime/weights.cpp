// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/weights.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "small_net.hpp"

using namespace ctq::literals;

namespace {

using ctq::weight_tensor;

std::string cause_of(std::vector<weight_tensor> tensors) {
  const auto checked = ctq::model_weights<small::mlp>::check(ctq::weights{std::move(tensors)});
  return checked ? "" : checked.error().message();
}

std::vector<weight_tensor> right() { return small::random_weights<small::mlp>(1).tensors(); }

}  // namespace

TEST_CASE("weights of the model's names and shapes are accepted") {
  CHECK(cause_of(right()).empty());
}

namespace {

inline constexpr auto with_norm =
    ctq::model("x"_n = ctq::nn::placeholder({1, 3, 2, 2}),
               "bn"_n = ctq::nn::batch_norm2d("x"_n, {.affine = false}),
               "bn#2"_n = ctq::nn::batch_norm2d("bn"_n, {.affine = false}),
               "out"_n = ctq::nn::output("bn#2"_n));

}  // namespace

TEST_CASE("a batch norm that is not affine has no weight and no bias, which are 1 and 0") {
  std::vector<weight_tensor> tensors{{"bn.running_mean", {3}, {1, 2, 3}},
                                     {"bn.running_var", {3}, {4, 5, 6}}};
  const auto checked = ctq::model_weights<with_norm>::check(ctq::weights{tensors});
  REQUIRE(checked);
  const ctq::weights all = checked->get();
  CHECK(all.tensors().size() == 4);
  REQUIRE(all.find("bn.weight") != nullptr);
  CHECK(all.find("bn.weight")->shape == std::vector<int>{3});
  CHECK(all.find("bn.weight")->values == std::vector<float>{1, 1, 1});
  REQUIRE(all.find("bn.bias") != nullptr);
  CHECK(all.find("bn.bias")->values == std::vector<float>{0, 0, 0});
  tensors.push_back({"bn.bias", {3}, {0, 0, 0}});
  const auto wrong = ctq::model_weights<with_norm>::check(ctq::weights{tensors});
  REQUIRE(!wrong);
  CHECK(wrong.error().message() == "tensor bn.bias: belongs to no module of the model");
}

namespace {

inline constexpr auto scaled =
    ctq::model("x"_n = ctq::nn::placeholder({2, 3}), "scale"_n = ctq::nn::get_attr({1}),
               "y"_n = ctq::op::mul("x"_n, "scale"_n), "out"_n = ctq::nn::output("y"_n));

/// Scalars that become a vector.
inline constexpr auto stacked =
    ctq::model("x"_n = ctq::nn::placeholder({2, 2}), "a"_n = ctq::nn::get_attr({}),
               "b"_n = ctq::nn::get_attr({}), "ab"_n = ctq::fn::stack({"a"_n, "b"_n}),
               "y"_n = ctq::op::mul("x"_n, "ab"_n), "out"_n = ctq::nn::output("y"_n));

}  // namespace

TEST_CASE("a scalar stays one if the model has it as such") {
  const auto checked = ctq::model_weights<stacked>::check(
      ctq::weights{{{"a", {}, std::vector<float>{2}}, {"b", {}, std::vector<float>{3}}}});
  REQUIRE(checked);
  CHECK(checked->get().find("a")->shape.empty());
  const auto vector = ctq::model_weights<stacked>::check(
      ctq::weights{{{"a", {1}, std::vector<float>{2}}, {"b", {}, std::vector<float>{3}}}});
  REQUIRE_FALSE(vector);
  CHECK(vector.error().message() == "tensor a: shape is [1], the model needs []");
}

TEST_CASE("a parameter that is a number is a vector of one") {
  const auto checked =
      ctq::model_weights<scaled>::check(ctq::weights{{{"scale", {}, std::vector<float>{2}}}});
  REQUIRE(checked);
  const ctq::weights all = checked->get();
  CHECK(all.find("scale")->shape == std::vector<int>{1});
  CHECK(all.find("scale")->values == std::vector<float>{2});
}

TEST_CASE("what is wrong with a tensor is said with its name") {
  auto missing = right();
  missing.erase(missing.begin());
  CHECK(cause_of(missing) == "tensor 0.bias: is missing; the model needs [17]");

  auto misshapen = right();
  misshapen.back().shape = {5, 18};
  misshapen.back().values.resize(90);
  CHECK(cause_of(misshapen) == "tensor 2.weight: shape is [5, 18], the model needs [5, 17]");

  auto too_many = right();
  too_many.push_back({"2.bias", {5}, std::vector<float>(5)});
  CHECK(cause_of(too_many) == "tensor 2.bias: belongs to no module of the model");

  auto twice = right();
  twice.push_back(twice.front());
  CHECK(cause_of(twice) == "tensor 0.bias: is given twice");

  auto too_few = right();
  too_few.back().values.resize(84);
  CHECK(cause_of(too_few) == "tensor 2.weight: has 84 values, its shape [5, 17] needs 85");

  auto not_finite = right();
  not_finite.back().values[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(cause_of(not_finite) == "tensor 2.weight: a value is NaN");
  not_finite.back().values[3] = -std::numeric_limits<float>::infinity();
  CHECK(cause_of(not_finite) == "tensor 2.weight: a value is infinite");
}

TEST_CASE("weights that were moved from are still there, since copies share them") {
  auto w = small::checked_weights<small::mlp>(1);
  const auto other = std::move(w);
  CHECK(w.get().tensors().size() == 3);  // NOLINT(bugprone-use-after-move)
  CHECK(&w.get() == &other.get());
}

// What a temporary holds is not pointed to.
template <class W>
concept finds = requires(W w) {
  static_cast<W&&>(w).find("0.bias");
};
static_assert(finds<const ctq::weights&> && !finds<ctq::weights>);
static_assert(!std::is_reference_v<decltype(std::declval<ctq::weights>().tensors())>);
static_assert(!std::is_reference_v<decltype(small::checked_weights<small::mlp>(1).get())>);

TEST_CASE("counters of batches may be there: only training reads them") {
  auto with_counter = right();
  with_counter.push_back({"0.num_batches_tracked", {}, {1.0F}});
  CHECK(cause_of(with_counter).empty());
}

TEST_CASE("a batch norm owns four vectors, a conv without bias one tensor") {
  const auto g = small::net.view();
  CHECK(ctq::parameters_of(g[ctq::find(g, "bn1")]).size() == 4);
  CHECK(ctq::parameters_of(g[ctq::find(g, "conv2")])[0].shape == std::vector<int>{10, 2, 1, 3});
  CHECK(ctq::parameters_of(small::mlp.view()[3]).size() == 1);
}

TEST_CASE("batch norms that float32 cannot compute are errors") {
  static constexpr auto net =
      ctq::model("x"_n = ctq::nn::placeholder({1, 2, 4, 4}),
                 "conv"_n = ctq::nn::conv2d("x"_n, {.out_channels = 2, .kernel_size = 1}),
                 "bn"_n = ctq::nn::batch_norm2d("conv"_n), "out"_n = ctq::nn::output("bn"_n));
  const auto with = [](const char* name, float value, float gamma = 1.0F) {
    std::vector<ctq::weight_tensor> all{{"conv.weight", {2, 2, 1, 1}, {1, 2, 3, 4}},
                                        {"conv.bias", {2}, {0, 1}},
                                        {"bn.weight", {2}, {1, gamma}},
                                        {"bn.bias", {2}, {0, 0}},
                                        {"bn.running_mean", {2}, {0, 1}},
                                        {"bn.running_var", {2}, {1, 0}}};
    for (ctq::weight_tensor& t : all)
      if (t.name == name) t.values[1] = value;
    return ctq::model_weights<net>::check(ctq::weights{all});
  };
  CHECK(with("", 0.0F).has_value());
  CHECK(with("conv.weight", 1e30F).has_value());
  // The bias is divided by the deviation before it is multiplied by the weight.
  CHECK_FALSE(with("conv.bias", 1e37F, 0.0F).has_value());
  const auto negative = with("bn.running_var", -1.0F);
  REQUIRE_FALSE(negative.has_value());
  CHECK(negative.error().message() == "tensor bn.running_var: a value is negative");
  for (const char* name : {"conv.weight", "conv.bias", "bn.weight", "bn.running_mean"}) {
    CAPTURE(name);
    const auto too_large = with(name, 3e38F);
    REQUIRE_FALSE(too_large.has_value());
    CHECK(too_large.error().message() ==
          "tensor bn.running_var: a value is so small that parameters divided by the deviation "
          "exceed float32");
  }
}
