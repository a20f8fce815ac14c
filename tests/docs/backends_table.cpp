// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the table of backends of docs/backends.md, from the types.

#include <cstdio>
#include <ctq/backends.hpp>
#include <string>
#include <vector>

using namespace ctq;

namespace {

const backend_view all[] = {backend_v<native>,  backend_v<fbgemm>, backend_v<x86>,
                            backend_v<qnnpack>, backend_v<onednn>, backend_v<executorch>,
                            backend_v<tensorrt>};

void append_dtype(std::string& out, const dtype_with_constraints_record& c) {
  out += c.dtype == dtype::none ? std::string_view{"-"} : name_of(c.dtype);
  if (c.scale_exact_match.given) {
    out += " =1/";
    append_decimal(out, 1 / c.scale_exact_match.value);
  }
  if (c.scale_min_lower_bound.given) {
    out += " ≥1/";
    append_decimal(out, 1 / c.scale_min_lower_bound.value);
  }
}

std::string text_of(const dtype_config_record& d) {
  std::string out;
  append_dtype(out, d.input_dtype);
  append_dtype(out += " / ", d.output_dtype);
  append_dtype(out += " / ", d.weight_dtype);
  out += " / ";
  out += d.bias_dtype == dtype::none ? std::string_view{"-"} : name_of(d.bias_dtype);
  return d.is_dynamic ? out + ", dynamic" : out;
}

template <class Count>
void row(const std::string& head, Count count) {
  std::printf("| %s |", head.c_str());
  for (const backend_view& b : all) {
    int n = 0;
    for (const backend_pattern_config_record& c : b.configs) n += count(c);
    std::printf(n == 0 ? "  |" : " %d |", n);
  }
  std::printf("\n");
}

std::vector<dtype_config_record> distinct() {
  std::vector<dtype_config_record> found;
  for (const backend_view& b : all)
    for (const backend_pattern_config_record& c : b.configs)
      for (const dtype_config_record& d : c.dtype_configs) {
        bool known = false;
        for (const dtype_config_record& f : found) known = known || f == d;
        if (!known) found.push_back(d);
      }
  return found;
}

}  // namespace

int main() {
  std::printf("| patterns |");
  for (const backend_view& b : all) std::printf(" %.*s |", int(b.name.size()), b.name.data());
  std::printf("\n|---|---|---|---|---|---|---|---|\n");
  using config = backend_pattern_config_record;
  row("all", [](const config&) { return 1; });
  row("fused into one module", [](const config& c) { return c.fuser_method != nullptr ? 1 : 0; });
  row("output shares the input's observer", [](const config& c) {
    return c.observation_type == observation_type::output_share_observer_with_input ? 1 : 0;
  });
  for (const dtype_config_record& d : distinct())
    row(text_of(d), [&d](const config& c) {
      for (const dtype_config_record& own : c.dtype_configs)
        if (own == d) return 1;
      return 0;
    });
}
