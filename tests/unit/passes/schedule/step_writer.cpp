// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/step_writer.hpp"

#include <doctest/doctest.h>

#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net = model("x"_n = nn::placeholder({1, 2, 3, 4}), "a"_n = nn::relu("x"_n),
                                  "b"_n = nn::relu("a"_n), "out"_n = nn::output("b"_n));

struct writer : scheduling::step_writer<graph_view<stage::traced>, dynamic_schedule> {
  using base = scheduling::step_writer<graph_view<stage::traced>, dynamic_schedule>;
  using base::also_reads;
  using base::emit;
  using base::in_order;
  using base::new_output;
  using base::new_value;
  using base::next_sizes;
  using base::steps_;
  using base::value_of_;
  writer(const graph_view<stage::traced>& g, dynamic_schedule& out) : base(g, out) {
    value_of_[0] = new_value(0, place::area::input);
  }

  void relu(int i) {
    next_sizes(elementwise_shape{24});
    emit(kernel::relu, i, i - 1, value_of_[i - 1], new_output(i, layout::nchw));
  }
};

constexpr int a = 1;
constexpr int b = 2;
constexpr graph_view<stage::traced> g = net.view();

TEST_CASE("values that live at the same time have places of their own") {
  dynamic_schedule s;
  writer w(g, s);
  w.relu(a);
  w.relu(b);
  w.finish();
  REQUIRE(s.steps.size() == 2);
  CHECK(s.steps[0].in[0].in == place::area::input);
  CHECK(s.steps[1].in[0].in == place::area::arena);
  CHECK(s.steps[1].in[0].offset == s.steps[0].out.offset);
  CHECK(s.steps[1].out.offset != s.steps[1].in[0].offset);
  CHECK(s.arena_bytes >= 2 * 24 * sizeof(float));
}

TEST_CASE("a second value that a step reads lives until the step has written") {
  dynamic_schedule s;
  writer w(g, s);
  w.relu(a);
  w.relu(b);
  w.next_sizes(elementwise_shape{24});
  const int sum = w.new_value(24 * sizeof(float));
  w.emit(kernel::binary_add, b, b, w.value_of_[b], sum);
  w.also_reads(a, w.value_of_[a]);
  w.finish();
  REQUIRE(s.steps.size() == 3);
  CHECK(s.steps[2].in[1] == s.steps[0].out);
  CHECK(s.steps[2].out != s.steps[0].out);
}

TEST_CASE("a transpose comes only where the order can be seen, and once") {
  dynamic_schedule s;
  writer w(g, s);
  const int same = w.in_order(0, layout::nchw);
  CHECK(w.steps_ == 0);
  const int turned = w.in_order(0, layout::nhwc);
  CHECK(w.steps_ == 1);
  CHECK(s.steps[0].signature.kernel == kernel::to_nhwc);
  CHECK(turned != same);
  CHECK(w.in_order(0, layout::nhwc) == turned);
  CHECK(w.steps_ == 1);
}

TEST_CASE("a step without a kernel is a problem that names the node") {
  dynamic_schedule s;
  writer w(g, s);
  w.emit(kernel::quantize, a, 0, w.new_value(4), w.new_value(4), dtype::float16, -1);
  CHECK(w.steps_ == 0);
  CHECK(s.problem.message() ==
        "no kernel for node a:\nquantize, float32 to float16\n"
        "there are: float32 to quint8, float32 to qint8");
}

}  // namespace
