// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstring>
#include <istream>
#include <numeric>
#include <streambuf>
#include <unordered_map>

#include "limber/files/detail/text.hpp"
#include "limber/files/text_file.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Kind = DocumentNode::Kind;

[[noreturn]] void fail_size(const std::string& file, int line) {
  throw InputError(fmt::format("{}:{}: more than {} values, aliases written out; make the file smaller", file, line,
                               kMaxDocumentNodes));
}

// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Document& document) : document_(document) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) fail(mark, "a second document, or text after the end of the first; a file holds one document");
    started_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { close(open(mark, Kind::null, anchor)); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    descend(mark, Kind::list, anchor);
  }
  void OnSequenceEnd() override { ascend(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    descend(mark, Kind::map, anchor);
  }
  void OnMapEnd() override {
    check_keys(*path_.back());
    ascend();
  }

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, std::string_view what) const { fail(mark.line + 1, what); }
  [[noreturn]] void fail(int line, std::string_view what) const {
    throw InputError(fmt::format("{}:{}: {}", document_.file, line, what));
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "?") fail(mark, fmt::format("the tag {} has no meaning here; remove it", show(tag)));
  }
  DocumentNode& open(const YAML::Mark& mark, Kind kind, YAML::anchor_t anchor);
  void close(DocumentNode& node);
  void attach(const DocumentNode& node, const YAML::Mark& mark);
  void descend(const YAML::Mark& mark, Kind kind, YAML::anchor_t anchor);
  void ascend();
  void check_keys(const DocumentNode& map) const;

  Document& document_;
  bool started_ = false;
  int total_ = 0;                    // values so far, aliases expanded
  std::vector<DocumentNode*> path_;  // open lists and maps
  std::unordered_map<YAML::anchor_t, const DocumentNode*> anchors_;
};

// Creates a node and attaches it to its parent.
DocumentNode& TreeBuilder::open(const YAML::Mark& mark, Kind kind, YAML::anchor_t anchor) {
  DocumentNode& node = document_.nodes.emplace_back();
  node.kind = kind;
  node.line = mark.line + 1;
  if (anchor != YAML::NullAnchor) anchors_[anchor] = &node;
  attach(node, mark);
  return node;
}

// Keys and values of a map alternate.
void TreeBuilder::attach(const DocumentNode& node, const YAML::Mark& mark) {
  if ((total_ += node.size) > kMaxDocumentNodes) fail_size(document_.file, mark.line + 1);
  if (static_cast<int>(path_.size()) + node.height >= kMaxDocumentDepth)
    fail(mark, fmt::format("nested deeper than {} levels", kMaxDocumentDepth));
  if (path_.empty()) {
    document_.root = &node;
    return;
  }
  DocumentNode& parent = *path_.back();
  if (parent.kind == Kind::map && parent.keys.size() == parent.items.size()) {
    parent.keys.push_back(&node);
  } else {
    parent.items.push_back(&node);
  }
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  // A quoted scalar comes with the tag "!".
  if (tag != "!") refuse_tag(mark, tag);
  // Some escape sequences in quoted text do not yield valid characters.
  if (tag == "!" && find_bad_utf8(value) != std::string_view::npos)
    fail(mark, "an escape in quotes that is not a character");
  DocumentNode& node = open(mark, Kind::scalar, anchor);
  node.quoted = tag == "!";
  node.text = value;
  close(node);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const DocumentNode& node = *anchors_.at(anchor);
  if (!node.complete) fail(mark, fmt::format("the alias is inside its own anchor (line {})", node.line));
  attach(node, mark);
}

void TreeBuilder::descend(const YAML::Mark& mark, Kind kind, YAML::anchor_t anchor) {
  path_.push_back(&open(mark, kind, anchor));
}

void TreeBuilder::ascend() {
  DocumentNode& node = *path_.back();
  path_.pop_back();
  close(node);
}

// Size and height are computed from the children, which are complete.
void TreeBuilder::close(DocumentNode& node) {
  for (const auto* list : {&node.keys, &node.items}) {
    for (const DocumentNode* child : *list) {
      node.size += child->size;
      node.height = std::max<unsigned char>(node.height, child->height + 1);
    }
  }
  node.complete = true;
}

// Checked at the end of the map: an unclosed list looks like a key until then.
void TreeBuilder::check_keys(const DocumentNode& map) const {
  for (const DocumentNode* key : map.keys) {
    if (key->kind != Kind::scalar) fail(key->line, "a key must be a word; it is empty, a list or a map");
  }
  std::vector<const DocumentNode*> keys = map.keys;
  std::stable_sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return a->text < b->text; });
  const auto twice =
      std::adjacent_find(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return a->text == b->text; });
  if (twice == keys.end()) return;
  fail(twice[1]->line,
       fmt::format("duplicate key {}, first on line {}; remove one", show(twice[1]->text), twice[0]->line));
}

// A stream over text that is already in memory.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

int line_at(std::string_view text, std::size_t position) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
}

void check_bytes(std::string_view text, const std::string& file) {
  if (const std::size_t bad = find_bad_utf8(text); bad != std::string_view::npos)
    throw InputError(fmt::format("{}:{}: byte 0x{:02x} is not UTF-8 text; a model is a YAML or JSON text file", file,
                                 line_at(text, bad), static_cast<unsigned char>(text[bad])));
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != 0x7f) continue;
    if (c == '\n' || c == '\t' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n')) continue;
    throw InputError(fmt::format("{}:{}: control character 0x{:02x}; a model is a YAML or JSON text file", file,
                                 line_at(text, i), c));
  }
}

// The position behind a scalar in quotes that begins at i.
std::size_t skip_quoted(std::string_view text, std::size_t i) {
  const char quote = text[i++];
  while (i < text.size() && text[i] != quote) i += quote == '"' && text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

// Refuses a list in brackets that is too long before yaml-cpp reads it: its scanner takes a line as a whole, some
// hundred bytes per value, before the first event.
void check_commas(std::string_view text, const std::string& file) {
  if (text.size() <= std::size_t{kMaxDocumentNodes}) return;
  int depth = 0, commas = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool begins = i == 0 || std::strchr(" \t\n,[{:", text[i - 1]) != nullptr;
    if (begins && c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (begins && (c == '"' || c == '\'')) {
      i = skip_quoted(text, i);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth > 0 && ++commas > kMaxDocumentNodes) fail_size(file, line_at(text, i));
    ++i;
  }
}

// Messages of yaml-cpp in terms of the file format.
std::string_view explain(std::string_view message) {
  namespace Msg = YAML::ErrorMsg;
  static const std::pair<std::string_view, std::string_view> kMeanings[] = {
      {Msg::END_OF_MAP, "wrong indentation, or text after the end of a value"},
      {Msg::END_OF_SEQ, "wrong indentation, or text after the end of a value"},
      {Msg::END_OF_MAP_FLOW, "a '{' without its '}', or a missing comma"},
      {Msg::END_OF_SEQ_FLOW, "a '[' without its ']', or a missing comma"},
      {Msg::FLOW_END, "a ']' or '}' without its beginning"},
      {Msg::EOF_IN_SCALAR, "a quote that is not closed"},
      {Msg::MAP_VALUE, "a ':' in a wrong place; check the indentation, or put the text in quotes"},
      {Msg::BLOCK_ENTRY, "a '-' in a wrong place; check the indentation, or put the text in quotes"},
      {Msg::UNKNOWN_TOKEN, "a character that cannot begin a value; put the text in quotes"},
      {Msg::UNKNOWN_ANCHOR, "an alias '*' without its anchor '&'"},
  };
  for (const auto& [theirs, ours] : kMeanings) {
    if (message == theirs) return ours;
  }
  return message;
}

[[noreturn]] void fail_syntax(std::string_view text, const std::string& file, const YAML::Exception& e) {
  const int last = line_at(text, text.size());
  if (e.mark.line >= last)
    throw InputError(fmt::format("{}:{}: syntax error at the end: {}", file, last, explain(e.msg)));
  // The usual cause is a tab before the first word of that line.
  std::size_t begin = 0;
  for (int line = 0; line < e.mark.line; ++line) begin = text.find('\n', begin) + 1;
  const std::string_view rest = text.substr(begin);
  const std::string_view blanks = rest.substr(0, rest.find_first_not_of(" \t\r\n"));
  const std::string_view hint = blanks.find('\t') == std::string_view::npos ? "" : "; indent with spaces, not tabs";
  throw InputError(fmt::format("{}:{}: syntax error at column {}: {}{}", file, e.mark.line + 1, e.mark.column + 1,
                               explain(e.msg), hint));
}

}  // namespace

Document parse_document(std::string_view text, const std::string& name_for_messages) {
  Document document;
  document.file = name_for_messages;
  if (text.size() > kMaxFileBytes)
    throw InputError(fmt::format("{}: larger than {} MiB; split it", document.file, kMaxFileBytes >> 20));
  check_bytes(text, document.file);
  check_commas(text, document.file);
  // Appends an empty comment: without it, yaml-cpp 0.7 would close an open quote at a final line break, and misread an
  // open list.
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const std::string ended = join_surrogates(text) + "\n#";
  ViewBuffer buffer(ended);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    TreeBuilder builder(document);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    fail_syntax(text, document.file, e);
  }
  if (document.root == nullptr || document.root->kind == Kind::null)
    throw InputError(fmt::format("{}: the file is empty", document.file));
  return document;
}

Document read_document(const std::string& path) { return parse_document(read_text_file(path), path); }

}  // namespace limber
