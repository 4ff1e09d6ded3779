// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/document.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "limber/files/text_file.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Kind = DocumentNode::Kind;

std::string message_of(std::string_view text) {
  try {
    parse_document(text, "f");
  } catch (const Error& e) {
    return e.what();
  }
  return "read without complaint";
}

const DocumentNode& value(const Document& document, std::string_view key) {
  const DocumentNode& root = *document.root;
  for (std::size_t i = 0; i < root.keys.size(); ++i) {
    if (root.keys[i]->text == key) return *root.items[i];
  }
  throw std::out_of_range(std::string(key));
}

TEST(Document, KeepsKindTextQuotesOrderAndLine) {
  const Document d = parse_document("a: 010\nb: '3'\n\nc:\n  - x\n  - [1, 2]\nd: {e: ~, f: }\n", "f");
  ASSERT_EQ(d.root->kind, Kind::map);
  ASSERT_EQ(d.root->keys.size(), 4u);
  EXPECT_EQ(d.root->keys[3]->text, "d");
  EXPECT_EQ(value(d, "a").text, "010");
  EXPECT_FALSE(value(d, "a").quoted);
  EXPECT_EQ(value(d, "b").text, "3");
  EXPECT_TRUE(value(d, "b").quoted);
  EXPECT_EQ(value(d, "b").line, 2);
  ASSERT_EQ(value(d, "c").kind, Kind::list);
  EXPECT_EQ(value(d, "c").items[1]->items[1]->text, "2");
  EXPECT_EQ(value(d, "c").items[1]->line, 6);
  EXPECT_EQ(value(d, "d").items[0]->kind, Kind::null);
  EXPECT_EQ(value(d, "d").items[1]->kind, Kind::null);
  EXPECT_EQ(d.root->size, 17);
  EXPECT_EQ(d.root->height, 3);
}

TEST(Document, AnAliasIsTheSameNode) {
  const Document d = parse_document("a: &x [1, 2]\nb: *x\n", "f");
  EXPECT_EQ(&value(d, "a"), &value(d, "b"));
  EXPECT_EQ(d.root->size, 9);
}

TEST(Document, ReadsJson) {
  const Document d = parse_document(
      "{\n\t\"a\\/b\":\t\"x\\u00e9\\n\\t\\\"\",\"c\":[1,-2.5e-3,true,null],\r\n \"d\":{\"e\":\"\\ud83d\\ude00 "
      "\\\\ud83d\"}}",
      "f");
  EXPECT_EQ(value(d, "a/b").text, "x\xc3\xa9\n\t\"");
  EXPECT_EQ(value(d, "c").items[1]->text, "-2.5e-3");
  EXPECT_EQ(value(d, "c").items[3]->kind, Kind::null);
  EXPECT_EQ(value(d, "d").line, 3);
  EXPECT_EQ(value(d, "d").items[0]->text, "\xf0\x9f\x98\x80 \\ud83d");
}

TEST(Document, ReadsByteOrderMarkAndUnicode) {
  const Document d = parse_document("\xef\xbb\xbfname: Größe 😀\n", "f");
  EXPECT_EQ(value(d, "name").text, "Größe 😀");
}

TEST(Document, RefusesWhatIsNoText) {
  EXPECT_EQ(message_of(""), "f: the file is empty");
  EXPECT_EQ(message_of(" \n\t\n"), "f: the file is empty");
  EXPECT_EQ(message_of(std::string_view("a: 1\nb: \0\n", 10)),
            "f:2: control character 0x00; a model is a YAML or JSON text file");
  EXPECT_EQ(message_of("a: 1\rb: 2\r"), "f:1: control character 0x0d; a model is a YAML or JSON text file");
  EXPECT_EQ(message_of("\x89HDF\r\n"), "f:1: byte 0x89 is not UTF-8 text; a model is a YAML or JSON text file");
  for (const char* bad : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xff\xfe"}) {
    EXPECT_TRUE(message_of(std::string("a: 1\nb: ") + bad).find("is not UTF-8 text") != std::string::npos);
  }
  EXPECT_EQ(message_of("a: \"\\N\"\n"), "f:1: an escape in quotes that is not a character");
}

TEST(Document, DepthIsCountedThroughAliases) {
  const auto nested = [](int levels, const std::string& core) {
    return std::string(static_cast<std::size_t>(levels), '[') + core +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_NO_THROW(parse_document(nested(kMaxDocumentDepth - 1, "1"), "f"));
  EXPECT_EQ(message_of(nested(kMaxDocumentDepth, "1")), "f:1: nested deeper than 64 levels");
  EXPECT_EQ(message_of("a: &a " + nested(40, "1") + "\nb: " + nested(40, "*a")), "f:2: nested deeper than 64 levels");
  EXPECT_EQ(message_of(std::string(100'000, '[')), "f:1: nested deeper than 64 levels");
}

TEST(Document, FiveMegabytesOfJsonTakeSeconds) {
  std::string text = "{\"a\": [";
  while (text.size() < 5'000'000) text += "[-0.12345678901234567, 0.23456789012345678, 1e-5], ";
  text += "[]]}";
  const auto start = std::chrono::steady_clock::now();
  const Document d = parse_document(text, "f");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GT(d.nodes.size(), 350'000u);
  EXPECT_LT(took.count(), 120.0);  // about 1 s; the margin is for sanitizers and busy computers
}

TEST(Document, RefusesTooManyValuesAndBytes) {
  std::string text = "a: &a [";
  for (int i = 0; i < 2000; ++i) text += "1,";
  text += "]\nb: [";
  for (int i = 0; i < kMaxDocumentNodes / 2000; ++i) text += "*a ,";
  EXPECT_EQ(message_of(text + "]"), "f:2: more than 4000000 values, aliases written out; make the file smaller");
  EXPECT_EQ(message_of(std::string(kMaxFileBytes + 1, ' ')), "f: larger than 64 MiB; split it");
}

// yaml-cpp would take 14 s and 5 GB to scan the line.
TEST(Document, RefusesALongListBeforeItIsScanned) {
  std::string text = R"({"q": [)";
  text.reserve(42'000'000);
  for (int i = 0; i < 20'000'000; ++i) text += "0,";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(message_of(text + "0]}"), "f:1: more than 4000000 values, aliases written out; make the file smaller");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 10.0);  // about 0.2 s; the margin is for sanitizers and busy computers
  // Commas of text are no values.
  const std::string commas(kMaxDocumentNodes + 1, ',');
  EXPECT_EQ(message_of("a: [\"\\\"[" + commas + "\", '" + commas + "'] # [" + commas + "\nb: x" + commas),
            "read without complaint");
}

std::string file_message(const std::string& path) {
  try {
    read_document(path);
  } catch (const Error& e) {
    return e.what();
  }
  return "read without complaint";
}

TEST(TextFile, SaysWhyItCannotRead) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "limber_text_file_test";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(file_message(folder.string()), folder.string() + ": is a directory; name a file in it");
  const std::string missing = (folder / "missing.yaml").string();
  EXPECT_EQ(file_message(missing), missing + ": cannot be opened: no such file");
  EXPECT_EQ(file_message(""), "an empty file name; name a file");
  const std::string large = (folder / "large.yaml").string();
  std::ofstream(large) << "a: 1\n";
  std::filesystem::resize_file(large, kMaxFileBytes + 1);
  EXPECT_EQ(file_message(large), large + ": larger than 64 MiB; split it");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace limber
