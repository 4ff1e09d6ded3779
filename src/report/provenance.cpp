// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/provenance.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>

namespace limber {
namespace {

constexpr std::size_t kMaxText = 2'000'000;  // bytes

std::string date_of(const std::string& path) {
  struct stat found {};
  tm parts{};
  if (stat(path.c_str(), &found) != 0 || gmtime_r(&found.st_mtime, &parts) == nullptr) return "";
  std::string out(32, '\0');
  out.resize(std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M UTC", &parts));
  return out;
}

}  // namespace

void add_provenance(const std::string& path, const std::string& version, const NamedTexts& texts, PageData& page) {
  page.header["file"] = std::filesystem::path(path).filename().string();
  page.header["date"] = date_of(path);
  page.header["version"] = version;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, text] : texts) {
    if (text.empty()) continue;
    const bool whole = text.size() <= kMaxText;
    list.push_back({{"name", whole ? name : fmt::format("{}, the first {} of {} bytes", name, kMaxText, text.size())},
                    {"text", text.substr(0, kMaxText)}});
  }
  page.header["texts"] = std::move(list);
}

}  // namespace limber
