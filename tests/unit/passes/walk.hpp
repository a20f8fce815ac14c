// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ctq/core/packing.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/passes/schedule/schedule.hpp"
#include "ctq/passes/schedule/step.hpp"

// Walks a schedule step by step with memory that remembers which value lies where, in which order,
// and complains when a step finds something else than its graph says.

namespace walking {

using namespace ctq;

/// A stretch of memory that holds a whole value, or the first part of a cat.
struct content {
  place::area area{};
  std::size_t offset{}, bytes{};
  int value{};  // the node that made it
  layout order{};
  int parts{};  // of a cat: inputs that are in place
};

template <stage Stage>
class walker {
 public:
  walker(graph_view<Stage> g, const dynamic_schedule& s)
      : g_(g), schedule_(s), value_(at(g.size())) {
    // Views and observers are other names for a value.
    std::size_t inputs = 0;
    std::size_t constants = 0;
    for (int i = 0; i < g.size(); ++i) {
      const bool same = is_any_of(g[i].op, nn::flatten, fn::flatten, nn::identity, nn::output,
                                  q::activation_post_process);
      value_[at(i)] = same ? value_[at(g.args_of(i)[0])] : i;
      if (g[i].op->kind == op_kind::get_attr) {
        memory_.push_back({place::area::constant, constants, bytes_of(i), i, layout::nchw, 0});
        constants += constant_bytes(g[i]);
      }
      if (g[i].op->kind == op_kind::placeholder)
        memory_.push_back({place::area::input, inputs++, bytes_of(i), i, layout::nchw, 0});
    }
  }

  void run() {
    watch(-1);
    for (int s = 0; s < static_cast<int>(schedule_.steps.size()); ++s) {
      step_ = s;
      one(schedule_.steps[at(s)]);
      watch(s);
    }
    const argument_list returned = g_.args_of(g_.size() - 1);
    for (int o = 0; o < returned.size(); ++o) {
      const content* const out = find({place::area::output, at(o)});
      expect(out != nullptr && out->value == value_[at(returned[o])],
             "an output is not the model's");
      expect(out != nullptr && (out->order == layout::nchw || !matters(returned[o])),
             "an output is not N, C, H, W");
    }
  }

  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::size_t bytes_of(int i) const {
    return numel(g_[i].shape) * size_of(g_[i].dtype);
  }
  [[nodiscard]] bool matters(int i) const { return order_matters(g_[i].shape); }

  void expect(bool fine, const char* what) {
    if (fine || !complaint_.empty()) return;
    complaint_ = "step " + std::to_string(step_) + ": " + what;
  }

  /// Inputs and outputs have numbers for offsets.
  static bool overlap(place::area in, std::size_t a, std::size_t a_bytes, std::size_t b,
                      std::size_t b_bytes) {
    return in == place::area::arena ? a < b + b_bytes && b < a + a_bytes : a == b;
  }

  content* find(const place& p) {
    for (content& c : memory_)
      if (c.area == p.in && c.offset == p.offset) return &c;
    return nullptr;
  }

  /// The value of node i, whole, at this place.
  content read(const place& p, int i) {
    const content* const c = find(p);
    const bool there = c != nullptr && c->value == value_[at(i)] && c->bytes == bytes_of(i);
    expect(there, "an operand is not where it should be");
    const bool whole = there && (c->parts == 0 || c->parts == g_[c->value].arg_count);
    expect(whole, "an operand is not complete");
    if (there && p.in == reading_into_.in)
      expect(!overlap(p.in, c->offset, c->bytes, reading_into_.offset, into_bytes_),
             "an operand lies where the output goes");
    return there ? *c : content{};
  }

  void write(const place& p, std::size_t bytes, int value, layout order, int parts = 0) {
    expect(p.in == place::area::arena || p.in == place::area::output, "the output has no place");
    if (p.in == place::area::arena) {
      expect(p.offset % packing::alignment == 0, "the output is not aligned");
      expect(p.offset + bytes <= schedule_.arena_bytes, "outside the arena");
    }
    std::vector<content> kept;
    for (const content& c : memory_)
      if (c.area != p.in || !overlap(p.in, c.offset, c.bytes, p.offset, bytes)) kept.push_back(c);
    kept.push_back({p.in, p.offset, bytes, value, order, parts});
    memory_ = std::move(kept);
  }

  void one(const step& s) {
    const node& n = g_[s.node];
    reading_into_ = s.out;
    into_bytes_ = bytes_of(s.node);
    expect(kernels::exists(s.signature), "no such kernel");
    const bool transpose =
        s.signature.kernel == kernel::to_nhwc || s.signature.kernel == kernel::to_nchw;
    const bool copies_whole = s.signature.kernel == kernel::concat && !is_any_of(n.op, fn::cat);
    if (transpose || copies_whole) return move(s, transpose);
    if (s.signature.kernel == kernel::concat) return part_of_cat(s);
    layout order = layout::nchw;
    int ordered = 0;  // arguments whose order matters: those with one pixel, which are broadcast,
    for (int a = 0; a < n.arg_count; ++a) {  // have any
      const int from = g_.args_of(s.node)[a];
      const content c = read(s.in[at(a)], from);
      if (ordered > 0 && matters(from)) expect(c.order == order, "two orders in one op");
      if (ordered == 0 || matters(from)) order = c.order;
      ordered += matters(from) ? 1 : 0;
      expect(s.in_observer[at(a)] == g_[from].observer, "the input has other qparams");
      expect(s.signature.in == g_[from].dtype, "the input has another dtype");
      if (matters(from) && spatial(s.signature.kernel))
        expect(order == layout::nhwc, "wants N, H, W, C");
      if (matters(from) && as_in_the_graph(s.signature.kernel))
        expect(order == layout::nchw, "wants N, C, H, W");
    }
    if (spatial(s.signature.kernel)) order = layout::nhwc;
    if (as_in_the_graph(s.signature.kernel)) order = layout::nchw;
    if (s.signature.kernel == kernel::reduction && n.shape.rank != g_.arg(s.node, 0).shape.rank) {
      expect(order == layout::nchw || !matters(g_.args_of(s.node)[0]) || !matters(s.node),
             "axes that remain are not in their order");
      order = layout::nchw;
    }
    expect(s.out_observer == n.observer && s.signature.out == n.dtype,
           "the output is another than the node's");
    const int made = s.clamp_node < 0 ? s.node : s.clamp_node;
    expect(g_[made].observer == n.observer, "a clamp changes the qparams");
    write(s.out, bytes_of(made), made, order);
  }

  static bool as_in_the_graph(kernel_id k) { return k == kernel::linear || k == kernel::function; }
  static bool spatial(kernel_id k) {
    return k == kernel::conv2d || k == kernel::conv3d || k == kernel::conv_transpose2d ||
           k == kernel::conv_transpose3d || k == kernel::batch_norm2d || k == kernel::pooling_max ||
           k == kernel::pooling_avg || k == kernel::resampling || k == kernel::pixel_shuffle ||
           k == kernel::pad;
  }

  void move(const step& s, bool transpose) {
    const content c = read(s.in[0], s.node);
    const layout to = s.signature.kernel == kernel::to_nhwc ? layout::nhwc : layout::nchw;
    if (transpose) expect(c.order != to, "transposed for nothing");
    write(s.out, c.bytes, c.value, transpose ? to : c.order);
  }

  void part_of_cat(const step& s) {
    const auto shape = s.signature.as<concat_shape>();
    const content* const begun = find(s.out);
    const bool first = shape.offset == 0;
    const int part = first || begun == nullptr ? 0 : begun->parts;
    expect(first || (begun != nullptr && begun->value == s.node), "what a cat had so far is lost");
    expect(part < g_[s.node].arg_count, "a cat of too many parts");
    if (!complaint_.empty()) return;
    const int from = g_.args_of(s.node)[part];
    const content c = read(s.in[0], from);
    expect(!is_quantized(s.signature.in) || g_[from].observer == g_[s.node].observer,
           "an input of a cat has other qparams");
    const int dim = g_[s.node].attrs.template as<cat_options>().dim;
    const bool nchw = shape == columns(s.node, part, dim, layout::nchw);
    const bool nhwc = shape == columns(s.node, part, dim, layout::nhwc);
    expect(nchw || nhwc, "a cat puts an input elsewhere");
    const layout kept = part == 0 ? c.order : begun->order;  // whole images, in whatever order
    const layout order = nchw && nhwc ? kept : nchw ? layout::nchw : layout::nhwc;
    expect(part == 0 || begun->order == order || !matters(s.node), "two orders in one cat");
    expect(c.order == order || !matters(from), "an input of a cat has another order");
    write(s.out, bytes_of(s.node), s.node, order, part + 1);
  }

  /// Where the cat at node i puts an input.
  [[nodiscard]] concat_shape columns(int i, int part, int dim, layout order) const {
    int before = 0;
    for (int a = 0; a < part; ++a) before += g_.arg(i, a).shape[dim];
    return descriptors::cat_sizes(g_[i].shape, order, dim, g_.arg(i, part).shape[dim], before);
  }

  void watch(int step) {
    reading_into_ = {};
    for (const observation_point& o : schedule_.observations) {
      if (o.after_step != step) continue;
      step_ = step;
      read(o.where, o.node);
      expect(o.observer == g_[o.node].observer, "another observer is shown the value");
    }
  }

  graph_view<Stage> g_;
  const dynamic_schedule& schedule_;
  std::vector<int> value_;
  std::vector<content> memory_;
  place reading_into_;  // of the step that reads
  std::size_t into_bytes_ = 0;
  std::string complaint_;
  int step_ = -1;
};

/// What is wrong with a schedule; empty if nothing is.
template <stage Stage>
std::string complaint(graph_view<Stage> g, const dynamic_schedule& s) {
  if (s.problem.any()) return std::string{s.problem.message()};
  walker<Stage> w{g, s};
  w.run();
  return w.complaint();
}

}  // namespace walking
