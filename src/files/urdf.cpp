// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/urdf.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "files/urdf_model.hpp"
#include "limber/files/detail/flow.hpp"
#include "limber/files/model_file.hpp"

namespace limber {

bool is_urdf(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

ImportedModel import_urdf(std::string_view text, const std::string& name_for_messages) {
  ImportedModel out;
  Document document;
  document.file = name_for_messages;
  document.root = make_urdf_document(parse_urdf(text, name_for_messages), {}, 0, document, &out.notes);
  // Errors of the model reader are reported here, with lines of the URDF: a joint that moves nothing, ...
  read_model(Reader(document));
  out.text = fmt::format("# From {}.\n", std::filesystem::path(name_for_messages).filename().string());
  for (const std::string& note : out.notes) out.text += fmt::format("# {}\n", note);
  for (std::size_t i = 0; i < document.root->keys.size(); ++i) {
    const DocumentNode& value = *document.root->items[i];
    out.text += write_flow(*document.root->keys[i]) + ":";
    const bool lines = value.kind == DocumentNode::Kind::list && !value.items.empty() &&
                       value.items[0]->kind == DocumentNode::Kind::map;
    if (!lines) out.text += " " + write_flow(value) + "\n";
    if (!lines) continue;
    out.text += "\n";
    for (const DocumentNode* item : value.items) out.text += "  - " + write_flow(*item) + "\n";
  }
  return out;
}

}  // namespace limber
