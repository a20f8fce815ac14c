// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/custom_config/write.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace ctq;

namespace {

template <class Config>
std::string written(const Config& c) {
  std::string text;
  json::append_json(text, c);
  return text;
}

constexpr op_info gate{op_kind::function, "my.\"gate\""};

static_assert([] {
  constexpr std::string_view names[] = {"a", "\n"};
  static_text<80> text;
  json::append_json(text, fuse_custom_config{{names, 2}});
  return text.view() == "{\n  \"preserved_attributes\": [\"a\", \"\\n\"]\n}\n";
}());

TEST_CASE("empty configs are empty objects") {
  CHECK(written(prepare_custom_config{}) == "{}\n");
  CHECK(written(convert_custom_config{}) == "{}\n");
  CHECK(written(fuse_custom_config{}) == "{}\n");
}

TEST_CASE("a mapping of a module has its levels in PyTorch's order, on one line") {
  const mapping_entry entries[] = {{.level = mapping_level::module_name, .module = "m"},
                                   {.level = mapping_level::object_type, .op = &gate},
                                   {.level = mapping_level::global},
                                   {.level = mapping_level::object_type, .op = nn::relu.id()}};
  const mapping_view mapping{entries, 4};
  const standalone_module alone[] = {{.name = "a", .mapping = &mapping}};
  CHECK(written(prepare_custom_config{.standalone = {alone, 1}}) ==
        "{\n"
        "  \"ops\": [{\"name\": \"my.\\\"gate\\\"\", \"kind\": \"function\"}],\n"
        "  \"standalone_module_name\": [[\"a\", {\"\": null, \"object_type\": "
        "[[\"my.\\\"gate\\\"\", null], [\"torch.nn.ReLU\", null]], \"module_name\": "
        "[[\"m\", null]]}, [], {}, null]]\n"
        "}\n");
}

TEST_CASE("a class without its other form is not written") {
  const custom_module half[] = {{.float_class = nn::lstm.id()}};
  CHECK(written(prepare_custom_config{.custom_modules = {half, 1}}) == "{}\n");
  CHECK(written(convert_custom_config{.custom_modules = {half, 1}}) == "{}\n");
}

}  // namespace
