// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/reader.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

std::string reader_message(std::string_view text, const std::function<void(const Reader&)>& read) {
  const Document document = parse_document(text, "f");
  try {
    read(Reader(document));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

double number(const std::string& text) {
  const Document document = parse_document("x: " + text, "f");
  return Reader(document).at("x", "").number();
}

TEST(Reader, ReadsNumbersInEverySpelling) {
  EXPECT_EQ(number("0"), 0);
  EXPECT_EQ(number("-0"), 0);
  EXPECT_EQ(number("10"), 10);
  EXPECT_EQ(number("+1.5"), 1.5);
  EXPECT_EQ(number(".5"), 0.5);
  EXPECT_EQ(number("5."), 5);
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("-1E+3"), -1000);
  EXPECT_EQ(number("1e5"), 1e5);
  EXPECT_EQ(number("0e0"), 0);
  EXPECT_EQ(number("0.30000000000000004"), 0.1 + 0.2);
  EXPECT_EQ(number("5e-324"), 5e-324);
  EXPECT_EQ(number("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST(Reader, RefusesWhatOnlyLooksLikeANumber) {
  for (const char* text : {"010",      "-00.5", "+01",   "0x1f",   "0o17",   "1_0",    "1,5", "1 2",  "e5",   "1e",
                           "-",        "+",     ".",     "--1",    "+-1",    "1d5",    "1f",  "0b1",  "on",   "off",
                           "true",     "~",     "'1'",   "\"1\"",  "[1]",    "{a: 1}", "nan", "-inf", ".inf", "+.INF",
                           "infinity", ".nan",  "1e400", "-1e400", "1e-400", "1:30",   "NaN"}) {
    EXPECT_THROW(number(text), InputError) << text;
  }
}

TEST(Reader, ReadsTheOtherScalars) {
  const Document document = parse_document("n: 3.0\nt: true\nf: false\nname: boom 1\nkind: b\nempty: ''\n", "f");
  const Reader root(document);
  EXPECT_EQ(root.at("n", "").whole_number(0, 5), 3);
  EXPECT_TRUE(root.at("t", "").boolean());
  EXPECT_FALSE(root.at("f", "").boolean());
  EXPECT_EQ(root.at("name", "").name(), "boom 1");
  EXPECT_EQ(root.at("empty", "").text(), "");
  constexpr std::array<std::string_view, 2> choices = {"a", "b"};
  EXPECT_EQ(root.at("kind", "").choice(choices), 1);
  EXPECT_EQ(root.keys().size(), 6u);
  EXPECT_TRUE(root.has("t"));
  EXPECT_FALSE(root.has("T"));
  EXPECT_FALSE(root.find("x").has_value());
  EXPECT_EQ(root.one_of({"x", "n", "y"}), "n");
}

TEST(Reader, ReadsArrays) {
  const Document document =
      parse_document("v: [1, 2, 3]\none: 7\nm: [[1, 2], [3, 4]]\nd: [5, 6]\nt: [[[1]], [[2]], [[3]]]\nnone: []\n", "f");
  const Reader root(document);
  EXPECT_EQ(root.at("v", "").vector3(), Vector3d(1, 2, 3));
  EXPECT_EQ(root.at("v", "").numbers().sum(), 6);
  EXPECT_EQ(root.at("one", "").number_or_numbers(3), Vector3d::Constant(7));
  EXPECT_EQ(root.at("v", "").number_or_numbers(3), Vector3d(1, 2, 3));
  EXPECT_EQ(root.at("m", "").matrix(2, 2), (MatrixXd(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(root.at("m", "").square_or_diagonal(2), (MatrixXd(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(root.at("d", "").square_or_diagonal(2), (MatrixXd(2, 2) << 5, 0, 0, 6).finished());
  EXPECT_EQ(root.at("t", "").three_matrices(1)[2](0, 0), 3);
  EXPECT_EQ(root.at("none", "").square_or_diagonal(0).size(), 0);
  EXPECT_EQ(root.at("none", "").length(0), 0);
}

TEST(Reader, MessagesSayFileLineItemAndPath) {
  const auto read = [](const Reader& root) {
    root.at("bodies", "").list()[1].in("body 'boom'").at("beam", "").at("length", "").number();
  };
  EXPECT_EQ(reader_message("bodies:\n  - 1\n  - beam:\n      length: six\n", read),
            "f:4: body 'boom': beam.length must be a number, but is 'six'");
  EXPECT_EQ(reader_message("bodies:\n  - 1\n  - beam: {length: [6]}\n", read),
            "f:3: body 'boom': beam.length must be a number, but is a list");
  EXPECT_EQ(reader_message("a: [[1, 2], [3, x]]", [](const Reader& root) { root.at("a", "").matrix(2, 2); }),
            "f:1: a[1][1] must be a number, but is 'x'");
  EXPECT_EQ(reader_message("[1]",
                           [](const Reader& root) {
                             root.check_keys({"a", "b"});
                           }),
            "f:1: the file must be a map with the keys a, b, but is a list");
  EXPECT_EQ(reader_message("a: maybe", [](const Reader& root) { root.at("a", "").boolean(); }),
            "f:1: a must be true or false, but is 'maybe'");
  EXPECT_EQ(reader_message("a: 'true'", [](const Reader& root) { root.at("a", "").boolean(); }),
            "f:1: a must be true or false, but is the text 'true'");
}

TEST(Reader, LongAndStrangeTextIsCutInMessages) {
  const auto read = [](const Reader& root) { root.at("a", "").number(); };
  EXPECT_EQ(reader_message("a: " + std::string(61, 'x'), read),
            "f:1: a must be a number, but is '" + std::string(60, 'x') + "...'");
  EXPECT_EQ(reader_message("a: " + std::string(59, 'x') + "éé", read),
            "f:1: a must be a number, but is '" + std::string(59, 'x') + "...'");
  EXPECT_EQ(reader_message("a: \"1\\n\\0\\e2\"", read),
            "f:1: a must be a number, but is the text '1   2'; remove the quotes");
}

TEST(Text, SuggestsTheNearestWord) {
  constexpr std::array<std::string_view, 4> known = {"length", "mass", "EIy", "a"};
  EXPECT_EQ(suggest("lenght", known), " did you mean 'length'?");
  EXPECT_EQ(suggest("LENGTH", known), " did you mean 'length'?");
  EXPECT_EQ(suggest("eiy", known), " did you mean 'EIy'?");
  EXPECT_EQ(suggest("masses", known), " did you mean 'mass'?");
  EXPECT_EQ(suggest("colour", known), "");
  EXPECT_EQ(suggest("b", known), "");
  EXPECT_EQ(suggest("", known), "");
  EXPECT_EQ(suggest(std::string(1000, 'x'), known), "");
}

TEST(Text, JoinsWords) {
  const std::vector<std::string> words = {"a", "b", "c"};
  EXPECT_EQ(join(views(words)), "a, b, c");
  EXPECT_EQ(join(views(words), 2), "a, b and 1 more");
  EXPECT_EQ(join({}), "");
}

}  // namespace
}  // namespace limber
