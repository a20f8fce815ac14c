// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/validate.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "ctq/backends/x86.hpp"
#include "ctq/core/ops.hpp"

using namespace ctq;

namespace {

template <class Input, class Output = dtype_with_constraints<quint8>,
          class Weight = dtype_with_constraints<qint8>>
struct npu
    : backend_config<"npu", backend_pattern_config<pattern<nn::relu>>,
                     backend_pattern_config<
                         pattern<nn::linear>,
                         dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>>,
                                       dtype_config<input_dtype<Input>, output_dtype<Output>,
                                                    weight_dtype<Weight>>>>> {};

template <class Input, class... More>
constexpr diagnostic found = validate(backend_v<npu<Input, More...>>);

using fine = dtype_with_constraints<quint8, quant_min<0>, quant_max<127>, scale_min<0x1p-12>,
                                    scale_max<1.0>>;
static_assert(!found<fine>.any());
static_assert(!validate(backend_v<x86>).any());
struct nothing : backend_config<"nothing"> {};
static_assert(!validate(backend_v<nothing>).any());

constexpr std::string_view head =
    "the backend is not well-formed:\n"
    "backend: npu\n"
    "pattern: torch.nn.Linear\n"
    "dtype_config: #1 of 2\n";

constexpr bool says(const diagnostic& d, std::string_view lines) {
  const std::string_view m = d.message();
  return m.starts_with(head) && m.substr(head.size()) == lines;
}

template <class... Constraint>
using u8 = dtype_with_constraints<quint8, Constraint...>;
template <class... Constraint>
using s8 = dtype_with_constraints<qint8, Constraint...>;

static_assert(says(found<u8<quant_max<256>>>,
                   "field: input_dtype.quant_max: 256\nquint8 allows: 0 to 255"));
static_assert(says(found<u8<quant_min<-1>>>,
                   "field: input_dtype.quant_min: -1\nquint8 allows: 0 to 255"));
static_assert(says(found<s8<quant_min<-129>>>,
                   "field: input_dtype.quant_min: -129\nqint8 allows: -128 to 127"));
static_assert(says(found<u8<quant_min<100>, quant_max<99>>>,
                   "field: input_dtype.quant_min: 100\nis above quant_max: 99"));
static_assert(says(found<u8<scale_min<0.5>, scale_max<0.25>>>,
                   "field: input_dtype.scale_min: 0.5\nis above scale_max: 0.25"));
static_assert(says(found<u8<scale_min<0.0>>>,
                   "field: input_dtype.scale_min: 0\na scale is positive and finite"));
static_assert(says(found<u8<scale_max<-1.0>>>,
                   "field: input_dtype.scale_max: -1\na scale is positive and finite"));
static_assert(says(found<u8<scale_max<1e39>>>,
                   "field: input_dtype.scale_max: 1e+39\na scale is positive and finite"));
static_assert(says(found<fine, u8<quant_max<300>>>,
                   "field: output_dtype.quant_max: 300\nquint8 allows: 0 to 255"));
static_assert(says(found<fine, fine, s8<quant_max<128>>>,
                   "field: weight_dtype.quant_max: 128\nqint8 allows: -128 to 127"));
// Equal bounds are bounds.
static_assert(!found<u8<quant_min<7>, quant_max<7>, scale_min<0.5>, scale_max<0.5>>>.any());

// Bounds of a dtype that is not quantized say nothing.
static_assert(!found<dtype_with_constraints<f32, quant_max<300>>>.any());

struct fuses_a_tree
    : backend_config<"npu", backend_pattern_config<pattern<nested<op::add, match_all, nn::conv2d>>,
                                                   fused_module<nni::conv_relu2d>>> {};
static_assert(validate(backend_v<fuses_a_tree>).message() ==
              "the backend is not well-formed:\n"
              "backend: npu\n"
              "pattern: (_operator.add, MatchAllNode, torch.nn.Conv2d)\n"
              "field: fused_module\nonly a chain of ops can be fused");

TEST_CASE("a scale that is not a number is not one") {
  for (const double v :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    dtype_with_constraints_record c{.dtype = quint8};
    c.scale_min_lower_bound = v;
    diagnostic d;
    rules::constraints(d, "input_dtype", c);
    CHECK(d.any());
  }
}

template <auto Args>
using with_activation = qconfig<min_max_observer<Args>, per_channel_min_max_observer<>>;
template <class... Entry>
constexpr diagnostic of_mapping = validate(mapping_v<qconfig_mapping<Entry...>>);

constexpr bool complains(const diagnostic& d, std::string_view lines) {
  return d.message().starts_with("the QConfigMapping is not well-formed:\n") &&
         d.message().ends_with(lines);
}

static_assert(!of_mapping<>.any());
static_assert(!of_mapping<global<qconfig_none>, allow_float<"fc">,
                          module_name_regex<R"(layer\d\..*)", with_activation<observer_args{}>>>
                   .any());

static_assert(
    complains(of_mapping<global<with_activation<observer_args{.quant_min = 0, .quant_max = 256}>>>,
              "entry: #0 of 1, global\n"
              "field: activation.quant_max: 256\nquint8 allows: 0 to 255"));
static_assert(complains(
    of_mapping<
        allow_float<"a">,
        object_type<nn::relu, with_activation<observer_args{.quant_min = 1, .quant_max = 9}>>>,
    "entry: #1 of 2, object_type\n"
    "field: activation.quant_min, quant_max\nthe range must contain 0"));
static_assert(complains(of_mapping<global<with_activation<observer_args{.quant_max = 127}>>>,
                        "field: activation\nquant_min and quant_max come together"));
static_assert(complains(of_mapping<global<with_activation<observer_args{.eps = 0.0F}>>>,
                        "field: activation.eps: 0\neps is positive: the least scale"));
static_assert(complains(
    of_mapping<
        global<qconfig<min_max_observer<>,
                       min_max_observer<{.dtype = qint8, .quant_min = -200, .quant_max = 0}>>>>,
    "field: weight.quant_min: -200\nqint8 allows: -128 to 127"));
static_assert(complains(of_mapping<module_name_regex<"layer(1", qconfig_none>>,
                        "entry: #0 of 1, module_name_regex\n"
                        "not a regular expression known here:\nlayer(1"));
// A regular expression is only one where one is wanted.
static_assert(!of_mapping<module_name<"layer(1", qconfig_none>>.any());

TEST_CASE("records from a file are checked by the same rules") {
  mapping_entry entries[2]{};
  entries[0] = global<with_activation<observer_args{}>>::value;
  entries[1] = entries[0];
  const mapping_view good{entries, 2};
  CHECK(!validate(good).any());
  entries[1].qconfig.weight.args.quant_min = -128;
  const diagnostic d = validate(good);
  CHECK(std::string{d.message()} ==
        "the QConfigMapping is not well-formed:\n"
        "entry: #1 of 2, global\n"
        "field: weight\n"
        "quant_min and quant_max come together");
}

TEST_CASE("the first mistake is the one that is told") {
  const diagnostic d = found<u8<quant_max<300>, scale_min<-1.0>>, u8<quant_min<-5>>>;
  CHECK(says(d, "field: input_dtype.quant_max: 300\nquint8 allows: 0 to 255"));
}

}  // namespace
