// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/backend_config.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

template <dtype D>
using only = dtype_config<input_dtype<dtype_with_constraints<D>>>;
template <auto Op, class... Config>
using config = backend_pattern_config<pattern<Op>, dtype_configs<Config...>>;

struct base : backend_config<"base", config<nn::linear, only<quint8>>,
                             config<nn::conv2d, only<quint8>, only<qint8>>, config<nn::relu>> {};

constexpr backend_view b = backend_v<base>;
static_assert(b.name == "base" && b.configs.size() == 3);
static_assert(b.configs[0].pattern.anchor() == nn::linear.id());
static_assert(b.configs[1].pattern.anchor() == nn::conv2d.id());
static_assert(b.configs[2].pattern.anchor() == nn::relu.id());

static_assert(b.configs[1].dtype_configs.size() == 2 && b.configs[2].dtype_configs.empty());
static_assert(b.configs[1].dtype_configs[1].input_dtype.dtype == qint8);

// set replaces in place and appends what is new; the other backend stays as it was.
struct mine : base::set<"mine", config<nn::conv2d, only<qint32>>, config<fn::cat, only<qint8>>> {};
constexpr backend_view m = backend_v<mine>;
static_assert(m.name == "mine" && m.configs.size() == 4);
static_assert(m.configs[1].pattern.anchor() == nn::conv2d.id());
static_assert(m.configs[1].dtype_configs.size() == 1);
static_assert(m.configs[1].dtype_configs[0].input_dtype.dtype == qint32);
static_assert(m.configs[3].pattern.anchor() == fn::cat.id());
static_assert(b.configs.size() == 3 && b.configs[1].dtype_configs.size() == 2);

// set of a set; a chain is another pattern than its parts.
struct again : mine::set<"again", config<nn::conv2d>,
                         backend_pattern_config<pattern<nn::conv2d, nn::relu>>> {};
static_assert(backend_v<again>.configs.size() == 5);
static_assert(backend_v<again>.configs[1].dtype_configs.empty());

// Lists of configs, also in one another, and single ones.
using activations = configs<config<nn::relu>, configs<config<fn::relu>, configs<>>>;
struct listed : backend_config<"listed", activations, config<nn::linear>> {};
static_assert(backend_v<listed>.configs.size() == 3);
static_assert(backend_v<listed>.configs[1].pattern.anchor() == fn::relu.id());
struct renamed : listed::set<"renamed"> {};
static_assert(backend_v<renamed>.name == "renamed");
static_assert(backend_v<renamed>.configs == backend_v<listed>.configs);
struct relu_too : listed::set<"relu_too", activations> {};
static_assert(backend_v<relu_too>.configs == backend_v<listed>.configs);

struct empty : backend_config<"empty"> {};
static_assert(backend_v<empty>.configs.empty());

// Arguments of a wrong kind; what is derived from a config is one.
struct derived : config<nn::relu> {};
struct not_config : backend_config<"odd", config<nn::relu>, configs<derived, config<nn::relu6>>,
                                   pattern<nn::linear>> {};
struct not_part : backend_config<"odd", backend_pattern_config<pattern<nn::relu>, int>> {};
struct not_op : backend_config<"odd", backend_pattern_config<pattern<nn::conv2d, 5>>> {};
static_assert(backend_parts::has_configs<mine> && backend_parts::has_configs<empty>);
static_assert(!backend_parts::has_configs<derived> && !backend_parts::has_configs<not_config> &&
              !backend_parts::has_configs<not_part> && !backend_parts::has_configs<not_op>);
static_assert(backend_v<not_config>.configs.empty() && backend_v<derived>.name.empty());

TEST_CASE("an argument of a wrong kind is named") {
  CHECK(backend_parts::misfit<derived>().message() ==
        "not a backend, but given as one: it\nis a type derived from\n"
        "ctq::backend_config<...>, and comes\nafter the model");
  CHECK(backend_parts::misfit<not_config>().message().starts_with("backend: odd\nconfig: #3\n"));
}

TEST_CASE("a backend is the same at run time") {
  const backend_view v = backend_v<mine>;
  int dtypes = 0;
  for (const backend_pattern_config_record& c : v.configs) dtypes += c.dtype_configs.size();
  CHECK(dtypes == 3);
  CHECK(v == backend_v<mine>);
  CHECK_FALSE(v == backend_v<base>);
}

}  // namespace
