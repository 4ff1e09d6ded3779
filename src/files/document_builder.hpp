// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "limber/files/document.hpp"
#include "limber/spatial/types.hpp"

namespace limber {

// Makes values of a document in code; they are owned by the document and have the current line.
class DocumentBuilder {
 public:
  using Value = const DocumentNode*;
  using Entries = std::vector<std::pair<std::string, Value>>;

  explicit DocumentBuilder(Document& owner) : owner_(&owner) {}
  Value text(const std::string& text);  // always a string
  Value word(const std::string& word);  // a plain scalar
  Value number(double value);           // with full precision
  Value numbers(const VectorXd& values);
  Value list(const std::vector<Value>& items);
  Value map(const Entries& entries);
  // A copy of a map with additional keys.
  Value with(Value map, const Entries& more);

  int line = 1;

 private:
  DocumentNode& add(DocumentNode::Kind kind);
  Document* owner_;
};

}  // namespace limber
