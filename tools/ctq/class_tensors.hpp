// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cpp_names.hpp"
#include "ctq/graph/graph.hpp"

// The inputs and outputs of a network as types and variables of the class that a library has.

namespace tool {

/// An input or an output of the class.
struct class_tensor {
  std::string name;  // of the node, or a key of the dict that is returned
  ctq::shape shape{};
  bool is_index{};         // of int64, else of float32
  std::string type{};      // "input"; of several "image_input"
  std::string variable{};  // "in", "image_in"
  std::string member{};    // of several outputs: in the struct of all

  /// Of "image" and "input", "in": image, image_input and image_in.
  void set_names(const std::string& stem, const std::string& one_type,
                 const std::string& one_variable) {
    member = stem;
    type = stem + "_" + one_type;
    variable = stem + "_" + one_variable;
  }
  [[nodiscard]] bool has_valid_names() const {
    return identifier_problem(member).empty() && identifier_problem(type).empty() &&
           identifier_problem(variable).empty();
  }
  /// Whether a struct with members of both types would use a name for two things.
  [[nodiscard]] bool hides(const class_tensor& other) const {
    return member == other.member || member == other.type || type == other.member;
  }
  [[nodiscard]] std::string_view element() const { return is_index ? "std::int64_t" : "float"; }
};
struct class_tensors {
  std::vector<class_tensor> in, out;

  [[nodiscard]] bool read_indices() const {
    return std::ranges::any_of(in, &class_tensor::is_index);
  }
  [[nodiscard]] bool have_indices() const {
    return read_indices() || std::ranges::any_of(out, &class_tensor::is_index);
  }
};

/// The inputs and outputs of a model, with names in C++ that differ.
[[nodiscard]] class_tensors tensors_of(const ctq::graph_view<ctq::stage::traced>& traced);

/// A text for each input and each output; {0} is its type, {1} its variable, {2} its member, {3}
/// the type of its elements.
[[nodiscard]] std::string each(const class_tensors& all, std::string_view between,
                               std::string_view of_input, std::string_view of_output);

/// The structs of all inputs and outputs.
[[nodiscard]] std::string declared(const class_tensors& all);

/// Asserts that the plan's inputs and outputs are those of the class `name`.
[[nodiscard]] std::string same_tensors(const std::string& name, const class_tensors& all);

}  // namespace tool
