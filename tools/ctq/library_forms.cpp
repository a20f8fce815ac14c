// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library_forms.hpp"

namespace tool {

const std::string_view class_form = R"(// From @SOURCE@, by ctq import --library.
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

const std::string_view index_problem_form =
    R"(  /// Place and cause of the first index that is no row of the table that it is looked up in, or of
  /// offsets that are not in order, valid until this thread's next call; "" if there is none. Runs do
  /// not check this.
  [[nodiscard]] static const char* index_problem({0}) noexcept;

)";

const std::string_view index_problem_code_form =
    R"(const char* {0}::index_problem({1}) noexcept {{
  const void* const from[] = {{{2}}};
  return {0}_code::index_problem_in<{0}_plan>(from);
}}

)";

const std::string_view index_problem_helper = R"(
template <class Plan>
static const char* index_problem_in(std::span<const void* const> from) {
  thread_local std::string words;
  const ctq::status checked = ctq::check_indices<Plan>(from);
  words = checked ? std::string{} : checked.error().message();
  return words.c_str();
}
)";

const std::string_view code_form = R"(// From @SOURCE@, by ctq import --library.
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

// A model whose instruction set is chosen when it is loaded, also one that runs compiled kernels
// (CTQ_COMPILED_KERNELS), knows it and the size of its arena at run time.
template <class Model>
static std::string isa_of(const Model& m) {
  if constexpr (requires { m.isa(); }) {
    return std::string{m.isa()};
  } else {
    return std::string{Model::isa::name};
  }
}

template <class Model>
static std::size_t arena_bytes_of(const Model& m) {
  if constexpr (requires { m.arena_bytes(); }) {
    return m.arena_bytes();
  } else {
    return m.arena_bytes;
  }
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
        isa(loaded ? @NAME@_code::isa_of(*loaded) : std::string{}) {}

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
  auto copy = other;  // the network may be called other, too
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

const std::string_view meson_form = R"(# From @SOURCE@, by ctq import --library.
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
# With these of -fsanitize=undefined g++ rejects comparisons of addresses in constants.
@NAME@_args = @NAME@_cpp.get_id() != 'gcc' ? [] : [
  '-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute']
@NAME@_code = []
@NAME@_isas = @NAME@_ctq.get_variable('isas_' + host_machine.cpu_family(), default_value: '').split()
foreach @NAME@_isa : get_variable('ctq_library_isas', @NAME@_isas)
  if @NAME@_isa not in @NAME@_isas
    error('ctq_library_isas: "' + @NAME@_isa + '" is none of: ' + ', '.join(@NAME@_isas))
  endif
  @NAME@_flags = @NAME@_ctq.get_variable('flags_' + @NAME@_isa, default_value: '').split()
  if @NAME@_flags.length() > 0 and not @NAME@_cpp.has_multi_arguments(@NAME@_flags)
    continue
  endif
  @NAME@_objects = static_library('@NAME@-' + @NAME@_isa, '@NAME@.cpp',
    cpp_args: @NAME@_args + @NAME@_flags + ['-fno-lto', '-DCTQ_LIBRARY_CODE'], dependencies: @NAME@_ctq,
    override_options: ['b_lto=false', 'cpp_std=c++20'], build_by_default: false)
  @NAME@_code += custom_target('@NAME@-' + @NAME@_isa + '.o', input: @NAME@_objects,
    output: '@NAME@-' + @NAME@_isa + '.o', command: @NAME@_isolate)
endforeach
@NAME@_lib = static_library('@NAME@', '@NAME@.cpp', @NAME@_code,
  cpp_args: @NAME@_args + (@NAME@_code.length() > 0 ? ['-DCTQ_LIBRARY_DISPATCH'] : []),
  dependencies: @NAME@_ctq, override_options: 'cpp_std=c++20')
@NAME@_dep = declare_dependency(include_directories: include_directories('.'),
  link_whole: @NAME@_lib)
)";

const std::string_view cmake_form = R"(# From @SOURCE@, by ctq import --library.
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

}  // namespace tool
