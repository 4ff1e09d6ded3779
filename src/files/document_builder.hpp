// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "limber/files/document.hpp"
#include "limber/spatial/types.hpp"

namespace limber {

// Makes values of a document in code; they belong to the document and have the line that is set.
class DocumentBuilder {
 public:
  using Value = const DocumentNode*;
  using Entries = std::vector<std::pair<std::string, Value>>;

  explicit DocumentBuilder(Document& owner) : owner_(&owner) {}
  Value text(const std::string& text);  // never a number
  Value word(const std::string& word);  // as it is
  Value number(double value);           // with all its digits
  Value numbers(const VectorXd& values);
  Value list(const std::vector<Value>& items);
  Value map(const Entries& entries);
  // A copy of a map with more keys.
  Value with(Value map, const Entries& more);

  int line = 1;

 private:
  DocumentNode& add(DocumentNode::Kind kind);
  Document* owner_;
};

}  // namespace limber
