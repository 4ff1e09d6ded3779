// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/body_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "limber/files/detail/text.hpp"
#include "limber/files/modal_body_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

std::string bytes_of(const Reader& at, const std::string& name, const std::string& path,
                     const std::map<std::string, std::string>* kept) {
  if (kept != nullptr) {
    const auto found = kept->find(name);
    if (found == kept->end()) at.fail(fmt::format("{} is not kept in this recording; record it again", show(name)));
    return found->second;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    at.fail(fmt::format(
        "{}: no such file; write its path from the folder of the model, and make it with `limber modes`", path));
  return read_text_file(path);
}

}  // namespace

Body BodyFiles::read(const Reader& file, bool second_order) {
  const std::string name = file.one_line(kLongestPath);
  auto found = bodies_.find(name);
  if (found == bodies_.end()) {
    const std::string path = (std::filesystem::path(folder_) / name).string();
    try {
      Body made = parse_modal_body(bytes_of(file, name, path, kept_), path).body;
      PartSpec part = *part_of(made);
      part.file = name;
      part.path = std::filesystem::absolute(path).lexically_normal().string();
      made.modal = share_part(std::move(part));
      found = bodies_.emplace(name, std::move(made)).first;
    } catch (const FileError& e) {
      file.fail_item(e.what());
    } catch (const InputError& e) {
      if (std::string_view(e.what()).starts_with(file.file())) throw;
      file.fail_item(e.what());
    }
  }
  Body body = found->second;
  body.second_order = second_order;  // it has no second-order shapes: docs/modal-body.md
  return body;
}

}  // namespace limber
