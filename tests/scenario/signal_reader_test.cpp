// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/signal_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kPi = std::numbers::pi;

Signal signal(const std::string& text) {
  const Document document = parse_document("s: " + text, "f");
  return read_signal(Reader(document).at("s", ""));
}

std::string signal_message_of(const std::string& text) {
  try {
    signal(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "read without complaint";
}

TEST(SignalReader, NumbersAreConstant) {
  for (const auto& [text, value] : {std::pair("5", 5.0), {"-1e3", -1e3}, {"+.5", 0.5}, {"5.", 5.0}, {"0", 0.0}}) {
    const Signal s = signal(text);
    EXPECT_TRUE(s.is_constant()) << text;
    EXPECT_EQ(s.at(7).value, value) << text;
    EXPECT_EQ(s.at(7).rate, 0) << text;
  }
}

// Everything that is not a number is an expression, quoted or not.
TEST(SignalReader, TextIsAnExpression) {
  EXPECT_EQ(signal("\"200\"").at(3).value, 200);
  EXPECT_EQ(signal("'-200'").at(3).value, -200);
  EXPECT_EQ(signal("1-2").at(3).value, -1);
  EXPECT_EQ(signal("1e3+1").at(3).value, 1001);
  EXPECT_EQ(signal("-t").at(3).value, -3);
  EXPECT_EQ(signal("t").at(3).rate, 1);
  EXPECT_EQ(signal("e").at(3).value, std::numbers::e);
  EXPECT_DOUBLE_EQ(signal("pi/4*(-1 + 72*t^3)").at(0.5).value, kPi / 4 * (-1 + 9));
  EXPECT_DOUBLE_EQ(signal("\"pi/4*(-1 + 72*t^3)\"").at(0.5).rate, kPi / 4 * 72 * 3 * 0.25);
  // On several lines.
  EXPECT_EQ(signal(">\n  1 +\n  t\n").at(3).value, 4);
  EXPECT_EQ(signal("|\n  1 +\n  t\n").at(3).value, 4);
  EXPECT_EQ(signal("\"1 +\n  t\"").at(3).value, 4);
}

TEST(SignalReader, TablesHoldTheirEnds) {
  for (const char* kind : {"", ", interpolate: linear", ", interpolate: cubic", ", interpolate: quintic"}) {
    const Signal s = signal(std::string("{table: {t: [0, 1, 2, 4], y: [3, 50, 0, 7]") + kind + "}}");
    EXPECT_EQ(s.at(-1).value, 3) << kind;
    EXPECT_NEAR(s.at(1).value, 50, 1e-12) << kind;
    EXPECT_NEAR(s.at(4).value, 7, 1e-12) << kind;
    EXPECT_EQ(s.at(9).value, 7) << kind;
    EXPECT_EQ(s.breaks().front(), 0) << kind;
    EXPECT_EQ(s.breaks().back(), 4) << kind;
  }
  EXPECT_NEAR(signal("{table: {t: [0, 1, 2], y: [0, 50, 0]}}").at(0.5).value, 25, 1e-12);
  // A cubic through points of a cubic is that cubic.
  const Signal cubic = signal("{table: {t: [0, 1, 2, 3, 5], y: [0, 1, 8, 27, 125], interpolate: cubic}}");
  EXPECT_NEAR(cubic.at(4.5).value, 4.5 * 4.5 * 4.5, 1e-10);
  EXPECT_NEAR(cubic.at(4.5).acceleration, 6 * 4.5, 1e-10);
  EXPECT_EQ(signal("{table: {t: [5], y: [2]}}").at(0).value, 2);
}

// Pieces use the time of the simulation.
TEST(SignalReader, PiecesHoldOneAfterTheOther) {
  const Signal s = signal(R"({pieces: [{until: 1, value: "t"}, {until: 5, value: {sine: {amplitude: 2, frequency: 1}}},
    {until: 7, value: {table: {t: [5, 7], y: [4, 8]}}}, {value: 9}]})");
  EXPECT_EQ(s.at(0.5).value, 0.5);
  EXPECT_NEAR(s.at(2.25).value, 2, 1e-12);
  EXPECT_NEAR(s.at(6).value, 6, 1e-12);
  EXPECT_EQ(s.at(8).value, 9);
  EXPECT_EQ(s.breaks(), (std::vector<double>{1, 5, 7}));
  EXPECT_EQ(s.at(1, 0.9).value, 1);
  EXPECT_EQ(signal("{pieces: [{value: 3}]}").at(1).value, 3);
}

TEST(SignalReader, SinesHaveDefaults) {
  const Signal s = signal("{sine: {amplitude: 2, frequency: 0.5}}");
  EXPECT_NEAR(s.at(0.5).value, 2, 1e-15);
  EXPECT_NEAR(s.at(0).rate, 2 * kPi, 1e-14);
  const Signal all = signal("{sine: {amplitude: 2, frequency: 0.5, phase: 1, offset: -3}}");
  EXPECT_NEAR(all.at(0.25).value, -3 + 2 * std::sin(kPi * 0.25 + 1), 1e-15);
  EXPECT_EQ(signal("{sine: {amplitude: 2, frequency: 0, offset: 1}}").at(4).value, 1);
}

TEST(SignalReader, ListsHaveOneSignalPerName) {
  const Document document = parse_document("a: [1, t, {sine: {amplitude: 1, frequency: 1}}]\nb: 2*t\nc: [4]", "f");
  const Reader root(document);
  const std::string three[] = {"x", "y", "z"}, one[] = {"x"};
  ASSERT_EQ(read_signals(root.at("a", ""), three, "direction").size(), 3u);
  EXPECT_EQ(read_signals(root.at("b", ""), one, "speed")[0].at(3).value, 6);
  EXPECT_EQ(read_signals(root.at("c", ""), one, "speed")[0].at(3).value, 4);
  EXPECT_THROW(read_signals(root.at("b", ""), three, "direction"), InputError);
  EXPECT_THROW(read_signals(root.at("a", ""), one, "speed"), InputError);
}

TEST(SignalReader, MessagesHaveFileLineAndPath) {
  EXPECT_TRUE(signal_message_of("\n  table: {t: [0, 1], y: [0]}").starts_with("f:2: s.table: "));
  EXPECT_EQ(signal_message_of("010"), "f:1: s must be a number, but is '010'; write it without leading zeros");
  EXPECT_EQ(signal_message_of("-.inf"), "f:1: s must be a finite number, but is '-.inf'");
  EXPECT_EQ(signal_message_of("\"1/t\""), "f:1: s is not finite at t = 0; write a signal that has a value there");
  EXPECT_EQ(signal_message_of("{pieces: [{until: 3, value: 0}, {value: \"1/(t - 3)\"}]}"),
            "f:1: s is not finite at t = 3; write a signal that has a value there");
  // Parts that are never reached are not evaluated.
  EXPECT_EQ(signal_message_of("{pieces: [{until: 3, value: 0}, {value: \"1/t\"}]}"), "read without complaint");
}

}  // namespace
}  // namespace limber
