// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "op_models.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "ctq/ops/op_table.hpp"
#include "fx_names.hpp"
#include "fx_printing.hpp"

namespace golden {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

json row(const std::string& name, const std::string& op, const std::string& target,
         json args = json::array()) {
  return {{"name", name}, {"op", op}, {"target", target}, {"args", std::move(args)}};
}

json module_row(const std::string& name, const std::string& type, json args) {
  json r = row(name, "call_module", name, std::move(args));
  r["module"] = {{"type", type}};
  return r;
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

bool takes_weight(std::string_view function) {
  return function == "linear" || function.starts_with("conv");
}

json arguments_of(const std::string& op, const std::string& function, bool scalar) {
  const json x = reference_to("x");
  if (scalar) return {x, 2.0};
  if (op.starts_with("F.") && takes_weight(function))
    return {x, reference_to("w"), reference_to("b")};
  if (op.starts_with("operator.") ||
      is_one_of(op, {"torch.add", "torch.sub", "torch.mul", "torch.div", "torch.matmul"}))
    return {x, x};
  if (is_one_of(function, {"cat", "concat", "stack"})) return json::array({json::array({x, x})});
  if (is_one_of(op, {"call_method.reshape", "call_method.view"})) return {x, -1};
  return json::array({x});
}

// ---- what Python prints of arguments: "x", "[x, x]", "2.0", "None", "(1, 2)"

class argument_reader {
 public:
  argument_reader(const std::string& text, const std::map<std::string, std::string>& stands_for)
      : text_(text), stands_for_(stands_for) {}

  json read() {
    skip_spaces();
    if (text_[at_] == '[' || text_[at_] == '(') return read_list();
    const std::size_t end = text_.find_first_of(",])", at_);
    const std::string word = text_.substr(at_, end - at_);
    at_ = end == std::string::npos ? text_.size() : end;
    return value_of(word);
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ == text_.size()) throw malformed("not an argument: " + text_);
  }

  json read_list() {
    json list = json::array();
    ++at_;
    for (;;) {
      skip_spaces();
      if (text_[at_] == ']' || text_[at_] == ')') break;
      list.push_back(read());
      skip_spaces();
      if (text_[at_] == ',') ++at_;
    }
    ++at_;
    return list;
  }

  [[nodiscard]] json value_of(const std::string& word) const {
    if (const auto node = stands_for_.find(word); node != stands_for_.end())
      return reference_to(node->second);
    if (word == "None") return nullptr;
    if (word == "True" || word == "False") return word == "True";
    json number = json::parse(word, nullptr, false);
    return number.is_number() ? number : json(word);
  }

  const std::string& text_;
  const std::map<std::string, std::string>& stands_for_;
  std::size_t at_ = 0;
};

/// The module class that rows call by its bare name.
std::string module_type(const std::string& op, const std::string& type) {
  if (op.starts_with("nn") && last_part(op) == type) return op;
  for (const char* const space : {"nn.", "nni.", "nnqat.", "nniqat."})
    if (ctq::ops<ctq::builtin>::value.find(space + type) != nullptr) return space + type;
  return type;
}

json row_from(const std::string& op, const std::string& name, const std::string& target,
              json args) {
  if (name == "output") return row(name, "output", "output", std::move(args));
  if (args.empty()) return row(name, name == "x" ? "placeholder" : "get_attr", target);
  if (target.find('.') != std::string::npos)
    return row(name, "call_function", target, std::move(args));
  if (std::isupper(static_cast<unsigned char>(target[0])) != 0)
    return module_row(name, module_type(op, target), std::move(args));
  return row(name, "call_method", target, std::move(args));
}

bool reads(const json& value, const std::string& name) {
  if (value.is_object()) return value == reference_to(name);
  if (!value.is_array()) return false;
  return std::any_of(value.begin(), value.end(), [&](const json& v) { return reads(v, name); });
}

/// Keywords are not shown: attributes that nothing reads are the weight and the bias of the call.
void add_keywords(json& rows) {
  json* call = nullptr;
  for (json& r : rows)
    if (r.at("op") == "call_function") call = &r;
  if (call == nullptr) return;
  std::vector<std::string> unread;
  for (const json& attribute : rows) {
    if (attribute.at("op") != "get_attr") continue;
    const auto name = attribute.at("name").get<std::string>();
    const bool is_read = std::any_of(rows.begin(), rows.end(),
                                     [&](const json& r) { return reads(r.at("args"), name); });
    if (!is_read) unread.push_back(name);
  }
  constexpr const char* keywords[] = {"weight", "bias"};
  for (std::size_t i = 0; i < unread.size() && i < std::size(keywords); ++i)
    (*call)["kwargs"][keywords[i]] = reference_to(unread[i]);
}

}  // namespace

json op_model(const std::string& op) {
  constexpr std::string_view scalar_suffix = "_scalar";
  const bool scalar = op.ends_with(scalar_suffix);
  const std::string target = scalar ? op.substr(0, op.size() - scalar_suffix.size()) : op;
  const std::string function = last_part(target);
  const bool is_module = op.starts_with("nn");
  json rows = json::array({row("x", "placeholder", "x")});
  fx_names names;
  names.use("x");
  const json args = arguments_of(target, function, scalar);
  if (op.starts_with("F.") && takes_weight(function))
    for (const char* const attribute : {"w", "b"})
      rows.push_back(row(attribute, "get_attr", attribute));
  const std::string name = is_module ? "m" : names.create(function);
  if (is_module)
    rows.push_back(module_row(name, op, args));
  else if (op.starts_with("call_method."))
    rows.push_back(row(name, "call_method", function, args));
  else
    rows.push_back(row(name, "call_function", target, args));
  rows.push_back(row("output", "output", "output", json::array({reference_to(name)})));
  return rows;
}

json op_model_from(const std::string& op, const json& nodes) {
  json rows = json::array();
  std::map<std::string, std::string> stands_for;  // an observer for what it observes
  for (const json& node : nodes) {
    const auto name = node.at(0).get<std::string>();
    const auto target = node.at(1).get<std::string>();
    json args = json::array();
    for (const json& text : node.at(2))
      args.push_back(argument_reader{text.get_ref<const std::string&>(), stands_for}.read());
    if (name.starts_with("activation_post_process_")) {
      stands_for[name] = args.at(0).at("n").get<std::string>();
      continue;
    }
    stands_for[name] = name;
    rows.push_back(row_from(op, name, target, std::move(args)));
  }
  add_keywords(rows);
  return rows;
}

}  // namespace golden
