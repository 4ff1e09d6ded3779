// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/state_file.hpp"

#include <fmt/format.h>

#include "limber/files/detail/text.hpp"
#include "limber/files/text_file.hpp"

namespace limber {
namespace {

// One number per name.
VectorXd read_row(const Reader& row, std::span<const std::string> names) {
  VectorXd values = row.numbers();
  if (values.size() != std::ssize(names))
    row.fail(fmt::format("has {} numbers, but the model has {}{}{}", values.size(), names.size(),
                         names.empty() ? "" : ": ", join(views(names))));
  return values;
}

}  // namespace

StateFile read_state(const Reader& root, const Model& model) {
  root.check_keys({"q", "v", "tau", "a"});
  StateFile out;
  const Reader q = root.at("q", "\"q\": [0, 0]");
  out.q = read_row(q, model.coordinates);
  out.v = read_row(root.at("v", "\"v\": [0, 0]"), model.speeds);
  if (const auto tau = root.find("tau")) out.tau = read_row(*tau, model.speeds);
  if (const auto a = root.find("a")) out.a = read_row(*a, model.speeds);
  try {
    check_state(model, State{0, out.q, out.v});
  } catch (const InputError& e) {
    q.fail_item(e.what());
  }
  return out;
}

StateFile parse_state(std::string_view text, const std::string& name_for_messages, const Model& model) {
  const Document document = parse_document(text, name_for_messages);
  return read_state(Reader(document), model);
}

StateFile read_state(const std::string& path, const Model& model) {
  return parse_state(read_text_file(path), path, model);
}

}  // namespace limber
