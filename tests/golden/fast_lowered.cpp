// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fast_lowered.hpp"

#include <cstring>
#include <utility>

#include "ctq/evaluate/evaluator.hpp"

namespace golden {
namespace {

/// The same integers, or the same bits of real numbers; what is neither is not compared.
bool same(const ctq::node_value& a, const ctq::node_value& b) {
  const ctq::quantized_tensor* const p = a.integers();
  const ctq::quantized_tensor* const q = b.integers();
  if (p != nullptr && q != nullptr)
    return p->qparams == q->qparams && p->int_repr() == q->int_repr();
  if (p != nullptr || q != nullptr) return false;
  const ctq::float_ops::value x = a.real();
  const ctq::float_ops::value y = b.real();
  const auto* const s = x.get_if<ctq::float_ops::tensor>();
  const auto* const t = y.get_if<ctq::float_ops::tensor>();
  if (s == nullptr || t == nullptr) return (s == nullptr) == (t == nullptr);
  return s->data.size() == t->data.size() &&
         (s->data.empty() ||
          std::memcmp(s->data.data(), t->data.data(), s->data.size() * sizeof(float)) == 0);
}

}  // namespace

std::string difference_of_fast_kernels(ctq::graph_view<ctq::stage::lowered> g,
                                       const ctq::module_state& modules,
                                       ctq::evaluation_options options,
                                       const std::vector<ctq::node_value>& inputs,
                                       const std::vector<ctq::node_value>& plain) {
  ctq::evaluator<ctq::stage::lowered, ctq::fast_kernels> fast(g, modules, std::move(options));
  const auto values = fast.run(inputs);
  if (!values) return values.error().message();
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (same(plain[i], (*values)[i])) continue;
    std::string text = "fast kernels give others than the reference kernels at ";
    append_name(text, g[static_cast<int>(i)]);
    return text;
  }
  return {};
}

}  // namespace golden
