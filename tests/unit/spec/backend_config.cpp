// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/backend_config.hpp"

#include <doctest/doctest.h>

#include "ctq/core/ops.hpp"

using namespace ctq;

namespace {

template <dtype D>
using only = dtype_config<input_dtype<dtype_with_constraints<D>>>;
template <auto Op, class... Config>
using config = backend_pattern_config<pattern<Op>, dtype_configs<Config...>>;

struct base : backend_config<"base", config<nn::linear, only<quint8>>,
                             config<nn::conv2d, only<quint8>, only<qint8>>, config<nn::relu>> {};

constexpr backend_view b = backend_v<base>;
static_assert(b.name == "base" && b.count == 3);
static_assert(b.configs[0].pattern.anchor() == nn::linear.id());
static_assert(b.configs[1].pattern.anchor() == nn::conv2d.id());
static_assert(b.configs[2].pattern.anchor() == nn::relu.id());

// The dtype configs of all patterns lie in one list.
static_assert(b.configs[0].first_dtype_config == 0 && b.configs[0].dtype_config_count == 1);
static_assert(b.configs[1].first_dtype_config == 1 && b.configs[1].dtype_config_count == 2);
static_assert(b.configs[2].first_dtype_config == 3 && b.configs[2].dtype_config_count == 0);
static_assert(b.dtype_configs[1].input_dtype.dtype == quint8);
static_assert(b.dtype_configs[2].input_dtype.dtype == qint8);

// Of two configs for one pattern the later wins, and keeps the place of the first.
struct twice : backend_config<"twice", config<nn::linear, only<quint8>>, config<nn::relu>,
                              config<nn::linear, only<qint8>, only<qint32>>> {};
static_assert(backend_v<twice>.count == 2);
static_assert(backend_v<twice>.configs[0].pattern.anchor() == nn::linear.id());
static_assert(backend_v<twice>.configs[0].dtype_config_count == 2);
static_assert(backend_v<twice>.dtype_configs[0].input_dtype.dtype == qint8);

// set replaces in place and appends what is new; the other backend stays as it was.
struct mine : base::set<"mine", config<nn::conv2d, only<qint32>>, config<fn::cat, only<qint8>>> {};
constexpr backend_view m = backend_v<mine>;
static_assert(m.name == "mine" && m.count == 4);
static_assert(m.configs[1].pattern.anchor() == nn::conv2d.id());
static_assert(m.configs[1].dtype_config_count == 1 && m.configs[1].first_dtype_config == 1);
static_assert(m.dtype_configs[1].input_dtype.dtype == qint32);
static_assert(m.configs[3].pattern.anchor() == fn::cat.id());
static_assert(m.dtype_configs[m.configs[3].first_dtype_config].input_dtype.dtype == qint8);
static_assert(b.count == 3 && b.configs[1].dtype_config_count == 2);

// set of a set; a chain is another pattern than its parts.
struct again : mine::set<"again", config<nn::conv2d>,
                         backend_pattern_config<pattern<nn::conv2d, nn::relu>>> {};
static_assert(backend_v<again>.count == 5 && backend_v<again>.configs[1].dtype_config_count == 0);

struct empty : backend_config<"empty"> {};
static_assert(backend_v<empty>.count == 0);

TEST_CASE("a backend is the same at run time") {
  const backend_view v = backend_v<mine>;
  int dtypes = 0;
  for (int i = 0; i < v.count; ++i) {
    CHECK(v.configs[i].first_dtype_config == dtypes);
    dtypes += v.configs[i].dtype_config_count;
  }
  CHECK(dtypes == 3);
}

}  // namespace
