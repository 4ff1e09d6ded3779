// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace limber {
namespace {

// Words and numbers that have the same meaning without quotes in any position.
bool is_plain(const DocumentNode& node) {
  if (node.quoted || node.text.empty()) return false;
  return node.text == "-" ? false : std::all_of(node.text.begin(), node.text.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

void add_scalar(const DocumentNode& node, std::string& out) {
  if (is_plain(node)) {
    out += node.text;
    return;
  }
  out += '"';
  for (const char c : node.text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void add(const DocumentNode& node, std::string& out) {
  using Kind = DocumentNode::Kind;
  switch (node.kind) {
    case Kind::null:
      out += "null";
      return;
    case Kind::scalar:
      return add_scalar(node, out);
    case Kind::list:
    case Kind::map:
      break;
  }
  const bool map = node.kind == Kind::map;
  out += map ? '{' : '[';
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out += ", ";
    if (map) {
      add(*node.keys[i], out);
      out += ": ";
    }
    add(*node.items[i], out);
  }
  out += map ? '}' : ']';
}

}  // namespace

std::string write_flow(const DocumentNode& node) {
  std::string out;
  add(node, out);
  return out;
}

}  // namespace limber
