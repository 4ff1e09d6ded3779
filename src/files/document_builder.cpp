// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/document_builder.hpp"

#include <fmt/format.h>

namespace limber {

DocumentNode& DocumentBuilder::add(DocumentNode::Kind kind) {
  DocumentNode& node = owner_->nodes.emplace_back();
  node.kind = kind;
  node.complete = true;
  node.line = line;
  return node;
}

DocumentBuilder::Value DocumentBuilder::text(const std::string& text) {
  DocumentNode& node = add(DocumentNode::Kind::scalar);
  node.quoted = true;
  node.text = text;
  return &node;
}

DocumentBuilder::Value DocumentBuilder::word(const std::string& word) {
  DocumentNode& node = add(DocumentNode::Kind::scalar);
  node.text = word;
  return &node;
}

DocumentBuilder::Value DocumentBuilder::number(double value) { return word(fmt::format("{}", value + 0.0)); }

DocumentBuilder::Value DocumentBuilder::numbers(const VectorXd& values) {
  std::vector<Value> items;
  for (const double value : values) items.push_back(number(value));
  return list(items);
}

DocumentBuilder::Value DocumentBuilder::list(const std::vector<Value>& items) {
  DocumentNode& node = add(DocumentNode::Kind::list);
  node.items = items;
  return &node;
}

DocumentBuilder::Value DocumentBuilder::map(const Entries& entries) {
  DocumentNode& node = add(DocumentNode::Kind::map);
  for (const auto& [key, value] : entries) {
    node.keys.push_back(word(key));
    node.items.push_back(value);
  }
  return &node;
}

DocumentBuilder::Value DocumentBuilder::with(Value map, const Entries& more) {
  DocumentNode& node = owner_->nodes.emplace_back(*map);
  for (const auto& [key, value] : more) {
    node.keys.push_back(word(key));
    node.items.push_back(value);
  }
  return &node;
}

}  // namespace limber
