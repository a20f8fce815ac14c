// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/step_writer.hpp"

#include <doctest/doctest.h>

#include "ctq/core/ops.hpp"
#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net = model("x"_n = nn::placeholder({1, 2, 3, 4}), "a"_n = nn::relu("x"_n),
                                  "b"_n = nn::relu("a"_n), "out"_n = nn::output("b"_n));

static_assert(scheduling::order_matters({1, 2, 3, 4}));
static_assert(!scheduling::order_matters({1, 1, 3, 4}) && !scheduling::order_matters({1, 9, 1, 1}));
static_assert(!scheduling::order_matters({1, 8}));

struct writer : scheduling::step_writer<stage::traced> {
  using base = scheduling::step_writer<stage::traced>;
  using base::emit;
  using base::form_of;
  using base::in_order;
  using base::new_value;
  using base::out_;
  using base::unary;
  constexpr writer() : base(net.view()) {}
};

constexpr int a = 1;
constexpr int b = 2;

TEST_CASE("values that live at the same time have places of their own") {
  writer w;
  w.form_of(0) = {w.new_value(0, place::area::input), layout::nchw};
  w.unary(a, kernel::relu, elementwise_shape{24}, w.form_of(0), layout::nchw);
  w.unary(b, kernel::relu, elementwise_shape{24}, w.form_of(a), layout::nchw);
  const dynamic_schedule s = w.finish();
  REQUIRE(s.steps.size() == 2);
  CHECK(s.steps[0].in[0].in == place::area::input);
  CHECK(s.steps[1].in[0].in == place::area::arena);
  CHECK(s.steps[1].in[0].offset == s.steps[0].out.offset);
  CHECK(s.steps[1].out.offset != s.steps[1].in[0].offset);
  CHECK(s.arena_bytes >= 2 * 24 * sizeof(float));
}

TEST_CASE("a transpose comes only where the order can be seen, and once") {
  writer w;
  w.form_of(0) = {w.new_value(0, place::area::input), layout::nchw};
  const scheduling::form same = w.in_order(0, layout::nchw);
  CHECK(w.out_.steps.empty());
  const scheduling::form turned = w.in_order(0, layout::nhwc);
  CHECK(w.out_.steps.size() == 1);
  CHECK(w.out_.steps[0].key.op == kernel::to_nhwc);
  CHECK(turned.value != same.value);
  CHECK(w.in_order(0, layout::nhwc).value == turned.value);
  CHECK(w.out_.steps.size() == 1);
}

TEST_CASE("a step without a kernel is a problem that names the node") {
  writer w;
  w.emit(signature(kernel::quantize, dtype::float16, dtype::quint8, elementwise_shape{4}), a,
         {w.new_value(4), -1}, w.new_value(4), {-1, -1}, -1);
  CHECK(w.out_.steps.empty());
  CHECK(w.out_.problem.message() == "no kernel for node a:\nquantize, float16 to quint8");
}

}  // namespace
