// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace limber::test {

using Json = nlohmann::json;

inline std::string data(const std::string& path) { return std::string(LIMBER_TEST_DATA) + "/" + path; }

inline std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A temporary folder for the files of one test.
class Folder {
 public:
  Folder() {
    path_ = ::testing::TempDir() + "limber-apps-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for the test");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  // Its files, sorted, to check that there are no others.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  }
  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

 private:
  std::string path_;
};

// Result of a run of the program.
struct Result {
  int code = -1;
  std::string out, err;
  Json json() const { return Json::parse(out, nullptr, false); }
  bool is_one_error_line() const {
    return code == 1 && out.empty() && std::count(err.begin(), err.end(), '\n') == 1 && err.size() > 1 &&
           err.back() == '\n';
  }
};

inline std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Runs `limber` with these arguments and this standard input, without a terminal.
inline Result limber(const std::vector<std::string>& arguments, const std::string& input = "") {
  const Folder folder;
  std::string command = quoted(LIMBER_PROGRAM);
  for (const std::string& word : arguments) command += " " + quoted(word);
  command += " < " + quoted(folder.write("in", input)) + " > " + quoted(folder.file("out")) + " 2> " +
             quoted(folder.file("err"));
  const int status = std::system(command.c_str());
  Result result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  result.out = read_all(folder.file("out"));
  result.err = read_all(folder.file("err"));
  return result;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace limber::test
