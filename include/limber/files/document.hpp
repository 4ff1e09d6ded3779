// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// One value of a YAML or JSON file, with its place.
struct DocumentNode {
  enum class Kind : unsigned char { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;                     // scalar: in quotes, and therefore text
  bool complete = false;                   // false while its children are being read
  unsigned char height = 0;                // levels below
  int line = 0;                            // counts from 1
  int size = 1;                            // values in the subtree, with aliases expanded
  std::string text;                        // scalar
  std::vector<const DocumentNode*> keys;   // map: scalars, as many as items
  std::vector<const DocumentNode*> items;  // list, map
};

// A file as a tree.  An alias is a second pointer to the same node, so that memory is linear in the file.
struct Document {
  std::string file;  // for messages
  const DocumentNode* root = nullptr;
  bool written_out = false;        // from a URDF, whose bodies and joints are expanded here
  std::deque<DocumentNode> nodes;  // owns them

  Document() = default;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
};

inline constexpr int kMaxDocumentNodes = 4'000'000;  // with aliases expanded
inline constexpr int kMaxDocumentDepth = 64;

// Tree of a YAML or JSON text; linear in its length.  Throws InputError "FILE:LINE: why" for bad syntax, two equal keys
// in a map, tags, more than one document, an empty document, bytes that are not UTF-8, a node that contains itself, and
// beyond the limits above or kMaxFileBytes.
Document parse_document(std::string_view text, const std::string& name_for_messages);
Document read_document(const std::string& path);

}  // namespace limber
