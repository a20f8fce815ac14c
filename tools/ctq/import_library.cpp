// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_library.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cpp_names.hpp"
#include "ctq/io/read_fx.hpp"
#include "import_model.hpp"
#include "library_names.hpp"
#include "library_plan.hpp"

namespace tool {

namespace {

struct substitution {
  std::string_view key;  // @NAME@, @SPACE@ and the like
  std::string value;
};

/// A form with all substitutions. No key is @INPUT@ or @OUTPUT@, which Meson replaces.
std::string filled(std::string_view form, const std::vector<substitution>& with) {
  std::string text;
  while (!form.empty()) {
    const std::size_t at = std::min(form.find('@'), form.size());
    text += form.substr(0, at);
    form.remove_prefix(at);
    const auto found = std::find_if(with.begin(), with.end(), [&form](const substitution& s) {
      return form.starts_with(s.key);
    });
    if (found != with.end()) {
      text += found->value;
      form.remove_prefix(found->key.size());
    } else if (!form.empty()) {
      text += '@';
      form.remove_prefix(1);
    }
  }
  return text;
}

constexpr std::string_view class_form = R"(// From @SOURCE@, by ctq import --library.
#pragma once

#include <cstddef>
@CSTDINT@#include <span>

@OPEN@
/// An int8 network: @SOURCE@ for the backend @BACKEND@. It runs what a calibrated model saved.
///
/// Threads   const: any number of threads may run one network, each with its own session or arena
/// Lifetime  owns all it needs. Copies share the weights; to move is to copy, so that no network is
///           ever empty
class @NAME@ {
 public:
  /// Contiguous, in the order of the shape, the last extent fastest. All zero at first. Large ones do
  /// not fit on a stack: make them static or on the heap.@INDICES@
@TENSORS@
  class result;
  class session;

  /// Loads the file that save of the calibrated model wrote, and packs the weights for the
  /// instruction set. The file is closed, or may be destroyed, afterwards.
  /// Errors  no file; a file that was changed or damaged, or is of another plan, with what differs;
  ///         an environment variable CTQ_ISA that names no instruction set of the library
  [[nodiscard]] static result load(const char* path);
  [[nodiscard]] static result load(std::span<const std::byte> file);

  @NAME@(const @NAME@& other) noexcept;
  @NAME@& operator=(const @NAME@& other) noexcept;
  ~@NAME@();

  /// One inference in the caller's memory: allocates nothing and cannot fail. Values outside the
  /// calibrated range saturate; NaN becomes the zero point.
  ///   out    must not overlap with an input
  ///   arena  arena_bytes(), 64-byte aligned, used by one run at a time
  void run(@SPANS@,
           std::byte* arena) const noexcept;
  void run(@INPUTS@, @RESULT@& out, std::byte* arena) const noexcept {
    run(@VALUES@, arena);
  }

@INDEX_PROBLEM@  /// The instruction set that was chosen.
  [[nodiscard]] const char* isa() const noexcept;
  [[nodiscard]] std::size_t arena_bytes() const noexcept;

 private:
  struct state;
  explicit @NAME@(state* s) noexcept : state_(s) {}

  state* state_;
};

/// A network, or the reason why there is none.
class @NAME@::result {
 public:
  [[nodiscard]] bool has_value() const noexcept;
  explicit operator bool() const noexcept { return has_value(); }

  /// The network. Without one the program aborts with the error.
  [[nodiscard]] @NAME@ operator*() const noexcept;
  [[nodiscard]] const @NAME@* operator->() const noexcept;
  /// The network. Without one the program writes the error to the standard error and exits with 1.
  [[nodiscard]] @NAME@ value_or_exit() const noexcept;
  /// Place and cause in one line, valid as long as this result; "" if there is a network.
  [[nodiscard]] const char* error() const noexcept;

 private:
  friend class @NAME@;
  explicit result(state* s) noexcept : value_(s) {}

  @NAME@ value_;
};

/// A network and its arena, which is allocated here once; a run allocates nothing and cannot fail.
///
/// Threads   one at a time; as many sessions of one network as there are threads
/// Lifetime  keeps the network alive
/// Requires  not moved from; checked
class @NAME@::session {
 public:
  explicit session(const @NAME@& network);
  session(session&& other) noexcept;
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  session& operator=(session&&) = delete;
  ~session();

  /// One inference; out must not overlap with an input.
  void run(@SPANS@) noexcept;
  void operator()(@INPUTS@, @RESULT@& out) noexcept { run(@VALUES@); }
  [[nodiscard]] @RESULT@ operator()(@INPUTS@) noexcept {
    @RESULT@ out;
    run(@VALUES@);
    return out;
  }

 private:
  @NAME@ network_;
  std::byte* arena_;
};

@CLOSE@
)";

constexpr std::string_view index_problem_form =
    R"(  /// Place and cause of the first index that is no row of the table that it is looked up in, or of
  /// offsets that are not in order, valid until this thread's next call; "" if there is none. Runs do
  /// not check this.
  [[nodiscard]] static const char* index_problem({0}) noexcept;

)";

constexpr std::string_view index_problem_code_form =
    R"(const char* {0}::index_problem({1}) noexcept {{
  const void* const from[] = {{{2}}};
  return {0}_code::index_problem_in<{0}_plan>(from);
}}

)";

constexpr std::string_view index_problem_helper = R"(
template <class Plan>
static const char* index_problem_in(std::span<const void* const> from) {
  thread_local std::string words;
  const ctq::status checked = ctq::check_indices<Plan>(from);
  words = checked ? std::string{} : checked.error().message();
  return words.c_str();
}
)";

constexpr std::string_view code_form = R"(// From @SOURCE@, by ctq import --library.
//
// For one machine, compiled as it is. For many machines, compiled for each instruction set with
// CTQ_LIBRARY_CODE, and once for the baseline with CTQ_LIBRARY_DISPATCH, which chooses among them:
// see meson.build and CMakeLists.txt.

#if defined(CTQ_LIBRARY_CODE) || defined(CTQ_LIBRARY_DISPATCH)
#undef CTQ_BASELINE_IS_INTENDED
#define CTQ_BASELINE_IS_INTENDED
#endif

#include "@NAME@_plan.hpp"

#if defined(CTQ_LIBRARY_CODE)

#include <ctq/runtime/dispatched.hpp>

template struct ctq::dispatched<@SPACE@::@NAME@_plan>;

#else

#include <algorithm>
#include <atomic>
#include <ctq/inference.hpp>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "@NAME@.hpp"

@OPEN@
namespace @NAME@_code {

template <class Source>
static auto load_model(const Source& source) {
#if defined(CTQ_LIBRARY_DISPATCH)
  return ctq::load_quantized<@NAME@_plan>(source, ctq::dispatch);
#else
  return ctq::load_quantized<@NAME@_plan>(source);
#endif
}

using model_result = decltype(load_model(std::span<const std::byte>{}));
using model = model_result::value_type;

static std::string isa_of(const model_result& m) {
  if (!m) return {};
#if defined(CTQ_LIBRARY_DISPATCH)
  return std::string{m->isa()};
#else
  return std::string{model::isa::name};
#endif
}

static std::size_t arena_bytes_of(const model& m) {
#if defined(CTQ_LIBRARY_DISPATCH)
  return m.arena_bytes();
#else
  return m.arena_bytes;
#endif
}

constexpr bool same_tensor(const ctq::model_tensor& t, ctq::dtype dtype,
                           std::span<const int> extents) {
  const ctq::shape& s = t.shape;
  return t.dtype == dtype && std::equal(s.extent, s.extent + s.rank, extents.begin(), extents.end());
}

constexpr std::align_val_t alignment{64};
@INDEX_PROBLEM_HELPER@
}  // namespace @NAME@_code

@SAME_TENSORS@
struct @NAME@::state {
  explicit state(@NAME@_code::model_result m)
      : loaded(std::move(m)),
        error(loaded ? std::string{} : loaded.error().message()),
        isa(@NAME@_code::isa_of(loaded)) {}

  @NAME@_code::model_result loaded;
  std::string error;
  std::string isa;
  std::atomic<std::size_t> owners{1};
};

@NAME@::result @NAME@::load(const char* path) {
  const std::string_view file{path == nullptr ? "" : path};
  return result{new state{@NAME@_code::load_model(file)}};
}

@NAME@::result @NAME@::load(std::span<const std::byte> file) {
  return result{new state{@NAME@_code::load_model(file)}};
}

@NAME@::@NAME@(const @NAME@& other) noexcept : state_(other.state_) {
  state_->owners.fetch_add(1, std::memory_order_relaxed);
}

@NAME@& @NAME@::operator=(const @NAME@& other) noexcept {
  @NAME@ copy{other};
  std::swap(state_, copy.state_);
  return *this;
}

@NAME@::~@NAME@() {
  if (state_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete state_;
}

void @NAME@::run(@SPANS@,
         std::byte* arena) const noexcept {
  const void* const from[] = {@FROM@};
  void* const to[] = {@TO@};
  state_->loaded->run_tensors(from, to, arena);
}

@INDEX_PROBLEM_CODE@const char* @NAME@::isa() const noexcept { return state_->isa.c_str(); }

std::size_t @NAME@::arena_bytes() const noexcept {
  return @NAME@_code::arena_bytes_of(*state_->loaded);
}

bool @NAME@::result::has_value() const noexcept { return value_.state_->loaded.has_value(); }

@NAME@ @NAME@::result::operator*() const noexcept {
  static_cast<void>(*value_.state_->loaded);
  return value_;
}

const @NAME@* @NAME@::result::operator->() const noexcept {
  static_cast<void>(*value_.state_->loaded);
  return &value_;
}

@NAME@ @NAME@::result::value_or_exit() const noexcept {
  static_cast<void>(value_.state_->loaded.value_or_exit());
  return value_;
}

const char* @NAME@::result::error() const noexcept { return value_.state_->error.c_str(); }

@NAME@::session::session(const @NAME@& network)
    : network_(network),
      arena_(static_cast<std::byte*>(
          ::operator new(network_.arena_bytes(), @NAME@_code::alignment))) {}

@NAME@::session::session(session&& other) noexcept
    : network_(other.network_), arena_(std::exchange(other.arena_, nullptr)) {}

@NAME@::session::~session() { ::operator delete(arena_, @NAME@_code::alignment); }

void @NAME@::session::run(@SPANS@) noexcept {
  ctq::require(arena_ != nullptr, "this session was moved from");
  network_.run(@VARIABLES@, arena_);
}

@CLOSE@
#endif
)";

constexpr std::string_view meson_form = R"(# From @SOURCE@, by ctq import --library.
#
#   subdir('@NAME@')
#   program = executable('program', 'main.cpp', dependencies: @NAME@_dep)
#
# @NAME@.cpp is compiled once for each instruction set, and the fastest that the machine has is chosen
# when the network is loaded. ctq_library_isas = ['avx2', 'avx512'] before subdir chooses some.
@NAME@_ctq = dependency('ctq', fallback: ['ctq', 'ctq_dep'])
@NAME@_cpp = meson.get_compiler('cpp')
@NAME@_isolate = [find_program(@NAME@_ctq.get_variable('isolate')), '@INPUT@', '@OUTPUT@',
  find_program('objcopy', 'llvm-objcopy'), @NAME@_cpp.cmd_array()]
@NAME@_code = []
@NAME@_isas = @NAME@_ctq.get_variable('isas_' + host_machine.cpu_family(), default_value: '').split()
foreach isa : get_variable('ctq_library_isas', @NAME@_isas)
  if isa not in @NAME@_isas
    error('ctq_library_isas: "' + isa + '" is none of: ' + ', '.join(@NAME@_isas))
  endif
  flags = @NAME@_ctq.get_variable('flags_' + isa, default_value: '').split()
  if flags.length() > 0 and not @NAME@_cpp.has_multi_arguments(flags)
    continue
  endif
  code = static_library('@NAME@-' + isa, '@NAME@.cpp', cpp_args: flags + '-DCTQ_LIBRARY_CODE',
    dependencies: @NAME@_ctq, override_options: ['b_lto=false', 'cpp_std=c++20'],
    build_by_default: false)
  @NAME@_code += custom_target('@NAME@-' + isa + '.o', input: code, output: '@NAME@-' + isa + '.o',
    command: @NAME@_isolate)
endforeach
@NAME@_lib = static_library('@NAME@', '@NAME@.cpp', @NAME@_code,
  cpp_args: @NAME@_code.length() > 0 ? ['-DCTQ_LIBRARY_DISPATCH'] : [], dependencies: @NAME@_ctq,
  override_options: 'cpp_std=c++20')
@NAME@_dep = declare_dependency(include_directories: include_directories('.'),
  link_whole: @NAME@_lib)
)";

constexpr std::string_view cmake_form = R"(# From @SOURCE@, by ctq import --library.
#
#   add_subdirectory(@NAME@)
#   target_link_libraries(program PRIVATE @NAME@)
#
# @NAME@.cpp is compiled once for each instruction set, and the fastest that the machine has is chosen
# when the network is loaded. CTQ_LIBRARY_ISAS, such as "avx2;avx512", chooses some.
cmake_minimum_required(VERSION 3.20)
project(@NAME@ CXX)
find_package(ctq REQUIRED)
ctq_add_library(@NAME@ @NAME@.cpp)
)";

std::string extents_of(const ctq::shape& s) {
  std::string text;
  for (int axis = 0; axis < s.rank; ++axis)
    text += fmt::format("{}{}", axis > 0 ? ", " : "", s[axis]);
  return text;
}

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
    type = fmt::format("{}_{}", stem, one_type);
    variable = fmt::format("{}_{}", stem, one_variable);
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

/// Sets the names in C++ of all inputs or all outputs: one_type and one_variable if there is one.
void name_all(std::vector<class_tensor>& all, const std::string& one_type,
              const std::string& one_variable) {
  if (all.size() == 1) {
    all[0].type = one_type;
    all[0].variable = one_variable;
    return;
  }
  for (auto t = all.begin(); t != all.end(); ++t) {
    std::string stem = identifier_like(t->name, "tensor");
    while (stem.back() == '_') stem.pop_back();
    const auto try_name = [&](const std::string& name) {
      t->set_names(name, one_type, one_variable);
      return t->has_valid_names() && std::none_of(all.begin(), t, [&](const class_tensor& other) {
               return t->hides(other);
             });
    };
    if (try_name(stem)) continue;
    // A name in capitals may be that of a macro once it has a number.
    t->set_names(stem + "_2", one_type, one_variable);
    if (!t->has_valid_names()) stem.insert(0, "tensor_");
    for (int number = 2; !try_name(fmt::format("{}_{}", stem, number));) ++number;
  }
}

/// The keys of the tensors that a model gives, "loss", or "boxes_0" of a list in a dict; empty: it
/// has none. Appends that of an argument and what is in it; returns the number of the argument
/// behind it.
int append_keys(ctq::view<ctq::argument> all, int at, const std::string& key,
                std::vector<std::string>& keys) {
  using kind = ctq::argument::kind;
  const ctq::argument& whole = all[at++];
  if (whole.is == kind::node) keys.push_back(key);
  if (whole.is != kind::list && whole.is != kind::dict) return at;
  for (std::int64_t item = 0; item < whole.integer; ++item) {
    std::string own{all[at].keyword};
    if (whole.is == kind::list) own = key.empty() ? "" : std::to_string(item);
    at = append_keys(all, at, key.empty() ? own : fmt::format("{}_{}", key, own), keys);
  }
  return at;
}

class_tensors tensors_of(const ctq::graph_view<ctq::stage::traced>& traced) {
  class_tensors all;
  for (int i = 0; i < traced.size(); ++i) {
    const ctq::node& n = traced[i];
    if (n.op->kind == ctq::op_kind::placeholder)
      all.in.push_back({std::string{n.name}, n.shape, is_index(n.dtype)});
    if (n.op->kind != ctq::op_kind::output) continue;
    std::vector<std::string> keys;
    for (int at = 0; at < n.row->args.count;) at = append_keys(n.row->args, at, {}, keys);
    keys.resize(static_cast<std::size_t>(n.arg_count));
    const bool together = n.row->args[0].has_elements() || n.arg_count > 1;
    for (int a = 0; a < n.arg_count; ++a) {
      const std::string& key = keys[static_cast<std::size_t>(a)];
      const ctq::node& from = traced.arg(i, a);
      all.out.push_back({std::string{!key.empty() ? key
                                     : together   ? from.name
                                                  : n.name},
                         from.shape, is_index(from.dtype)});
    }
  }
  name_all(all.in, "input", "in");
  name_all(all.out, "output", "out");
  return all;
}

/// A text for each input and each output; {0} is its type, {1} its variable, {2} its member, {3}
/// the type of its elements.
std::string each(const class_tensors& all, std::string_view between, std::string_view of_input,
                 std::string_view of_output) {
  std::string text;
  const auto add = [&](const class_tensor& t, std::string_view form) {
    text += fmt::format("{}{}", text.empty() ? "" : between,
                        fmt::format(fmt::runtime(form), t.type, t.variable, t.member, t.element()));
  };
  for (const class_tensor& t : all.in) add(t, of_input);
  for (const class_tensor& t : all.out) add(t, of_output);
  return text;
}

/// The structs of all inputs and outputs.
std::string declared(const class_tensors& all) {
  std::string text;
  for (const std::vector<class_tensor>* tensors : {&all.in, &all.out})
    for (const class_tensor& t : *tensors)
      text += fmt::format(
          "  struct {} {{\n"
          "    static constexpr char name[] = {};\n"
          "    static constexpr int shape[] = {{{}}};\n"
          "    static constexpr std::size_t size = {};\n"
          "    alignas(64) {} values[size]{{}};\n"
          "  }};\n",
          t.type, cpp_string(t.name), extents_of(t.shape), numel(t.shape), t.element());
  if (all.out.size() == 1) return text;
  text += "  /// What a run gives: auto [a, b] = session(…).\n  struct outputs {\n";
  for (const class_tensor& t : all.out) text += fmt::format("    {} {};\n", t.type, t.member);
  return text + "  };\n";
}

/// The plan's inputs and outputs are those of the class.
std::string same_tensors(const std::string& name, const class_tensors& all) {
  std::string text;
  const auto add = [&](std::string_view which, const std::vector<class_tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      text += fmt::format(
          "static_assert({0}_code::same_tensor({0}_plan::int8_schedule.{1}[{2}], ctq::{4}, "
          "{0}::{3}::shape));\n",
          name, which, i, tensors[i].type, tensors[i].is_index ? "i64" : "f32");
  };
  add("inputs", all.in);
  add("outputs", all.out);
  return text;
}

std::vector<substitution> substitutions_for(const library_request& r,
                                            const class_tensors& tensors) {
  const bool reads_indices = tensors.read_indices();
  const class_tensors inputs{tensors.in, {}};
  const std::string input_spans = each(inputs, ", ", "std::span<const {3}, {0}::size> {1}", "");
  const std::string from = each(inputs, ", ", "{1}.data()", "");
  return {
      {"@SOURCE@", cpp_comment(r.source)},
      {"@BACKEND@", cpp_comment(r.backend.name)},
      {"@NAME@", r.name},
      {"@SPACE@", r.space},
      {"@OPEN@", fmt::format("namespace {} {{\n", r.space)},
      {"@CLOSE@", fmt::format("}}  // namespace {}", r.space)},
      {"@CSTDINT@", tensors.have_indices() ? "#include <cstdint>\n" : ""},
      {"@INDICES@", tensors.have_indices()
                        ? "\n  /// An index that is no row of its table looks up a row of NaN."
                        : ""},
      {"@TENSORS@", declared(tensors)},
      {"@RESULT@", tensors.out.size() == 1 ? "output" : "outputs"},
      {"@SPANS@",
       each(tensors, ", ", "std::span<const {3}, {0}::size> {1}", "std::span<{3}, {0}::size> {1}")},
      {"@INDEX_PROBLEM@",
       reads_indices ? fmt::format(fmt::runtime(index_problem_form), input_spans) : ""},
      {"@INDEX_PROBLEM_HELPER@", std::string{reads_indices ? index_problem_helper : ""}},
      {"@INDEX_PROBLEM_CODE@",
       reads_indices ? fmt::format(fmt::runtime(index_problem_code_form), r.name, input_spans, from)
                     : ""},
      {"@INPUTS@", each(inputs, ", ", "const {0}& {1}", "")},
      {"@VALUES@", each(tensors, ", ", "{1}.values",
                        tensors.out.size() == 1 ? "out.values" : "out.{2}.values")},
      {"@VARIABLES@", each(tensors, ", ", "{1}", "{1}")},
      {"@FROM@", from},
      {"@TO@", each({{}, tensors.out}, ", ", "", "{1}.data()")},
      {"@SAME_TENSORS@", same_tensors(r.name, tensors)},
  };
}

}  // namespace

ctq::result<std::vector<text_file>> import_library(const library_request& r) {
  if (std::string why = library_name_problem(r.name); !why.empty()) return ctq::fail(r.name, why);
  const plan_parts parts = plan_parts_of(r);
  auto model = import_model(r.rows, r.file, r.name + "_model", r.space, r.source, {},
                            {.includes = parts.includes, .command = "ctq import --library"});
  if (!model) return ctq::unexpected{model.error()};
  const auto rows = ctq::read_fx(r.rows, ctq::ops<ctq::builtin>::value, r.file);
  if (!rows) return ctq::unexpected{rows.error()};
  const auto shaped = with_shapes(*rows);
  if (!shaped) return ctq::fail(r.file, shaped.error().cause);
  const auto traced = shaped->view();
  if (std::string why = plan_problem(traced, r.backend, r.mapping, r.policy); !why.empty())
    return ctq::fail(r.file, why);

  const class_tensors tensors = tensors_of(traced);
  if (tensors.in.empty() || tensors.out.empty())
    return ctq::fail(r.file, "has no input or no output");
  for (const std::vector<class_tensor>* all : {&tensors.in, &tensors.out})
    for (const class_tensor& t : *all) {
      if (t.shape.rank == 0)
        return ctq::fail(r.file, "has an input or an output without dimensions");
      if (t.type == r.name) return ctq::fail(r.name, "is a name that the class declares");
    }
  const std::vector<substitution> with = substitutions_for(r, tensors);
  const std::string plan_end =
      fmt::format("\nnamespace {} {{\n\n{}\n}}  // namespace {}\n", r.space, parts.types, r.space);
  return std::vector<text_file>{{r.name + ".hpp", filled(class_form, with)},
                                {r.name + "_plan.hpp", *model + plan_end},
                                {r.name + ".cpp", filled(code_form, with)},
                                {"meson.build", filled(meson_form, with)},
                                {"CMakeLists.txt", filled(cmake_form, with)}};
}

}  // namespace tool
