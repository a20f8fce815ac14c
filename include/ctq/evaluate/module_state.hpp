// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/evaluate/float_ops/value.hpp"

// What the modules of a model own: the tensors of its state_dict, and the arguments of their
// constructors, by the path of the module.

namespace ctq {

/// The options and tensors of all modules of a model. An evaluator reads them, and computes what
/// it has derived from them anew when revision() has changed.
class module_state {
 public:
  /// Sets an option: module "layer1.conv", name "stride".
  void set_option(std::string_view module, std::string_view name, float_ops::value v) {
    set(options_[std::string(module)], name, std::move(v));
    revision_ = next_revision();
  }

  /// Sets a tensor: "layer1.conv.weight", or "weight" if it belongs to the model itself.
  void set_tensor(std::string_view path, float_ops::value v) {
    tensors_[std::string(path)] = std::move(v);
    revision_ = next_revision();
  }

  /// Removes the options of one module.
  void clear_options(std::string_view module) {
    const auto found = options_.find(module);
    if (found != options_.end()) found->second.clear();
    revision_ = next_revision();
  }

  /// Changes with each of these calls. States with the same number are equal.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

  /// The attributes of a module: its options, then its tensors, which override options of the same
  /// name (bias=True).
  [[nodiscard]] std::vector<float_ops::named_value> attributes_of(std::string_view module) const {
    std::vector<float_ops::named_value> all;
    if (const auto found = options_.find(module); found != options_.end()) all = found->second;
    const std::string prefix = std::string(module) + ".";
    for (auto at = tensors_.lower_bound(prefix);
         at != tensors_.end() && at->first.compare(0, prefix.size(), prefix) == 0; ++at)
      set(all, std::string_view(at->first).substr(prefix.size()), at->second);
    return all;
  }

  /// The state of the modules inside one module, by their paths in it.
  [[nodiscard]] module_state inside(std::string_view module) const {
    const std::string prefix = std::string(module) + ".";
    module_state out;
    out.revision_ = next_revision();
    for (const auto& [path, options] : options_)
      if (path.starts_with(prefix)) out.options_[path.substr(prefix.size())] = options;
    for (const auto& [path, tensor] : tensors_)
      if (path.starts_with(prefix)) out.tensors_[path.substr(prefix.size())] = tensor;
    return out;
  }

  /// A tensor by its path; null if there is none.
  [[nodiscard]] const float_ops::value* find(std::string_view path) const {
    const auto found = tensors_.find(path);
    return found == tensors_.end() ? nullptr : &found->second;
  }

 private:
  static void set(std::vector<float_ops::named_value>& in, std::string_view name,
                  float_ops::value v) {
    for (float_ops::named_value& n : in)
      if (n.name == name) return void(n.given = std::move(v));
    in.push_back({std::string(name), std::move(v)});
  }
  static std::uint64_t next_revision() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  std::map<std::string, std::vector<float_ops::named_value>, std::less<>> options_;
  std::map<std::string, float_ops::value, std::less<>> tensors_;
  std::uint64_t revision_ = 0;
};

/// The value with this name, or null.
[[nodiscard]] inline float_ops::value* find(std::vector<float_ops::named_value>& in,
                                            std::string_view name) {
  for (float_ops::named_value& n : in)
    if (n.name == name) return &n.given;
  return nullptr;
}

}  // namespace ctq
