// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/body_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "files/mesh_file.hpp"
#include "limber/body/part.hpp"
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
  body.second_order = second_order;  // without second-order shapes: docs/modal-body.md
  return body;
}

std::shared_ptr<const VisualMesh> BodyFiles::read_mesh(const Reader& file) {
  const std::string name = file.one_line(kLongestPath);
  const auto found = meshes_.find(name);
  if (found != meshes_.end()) return found->second;
  std::shared_ptr<VisualMesh> mesh;
  const std::string path = (std::filesystem::path(folder_) / name).string();
  std::error_code ignored;
  try {
    if (kept_ != nullptr) {
      if (const auto inside = kept_->find(name); inside != kept_->end())
        mesh = std::make_shared<VisualMesh>(parse_mesh(inside->second, "mesh"));
    } else if (is_mesh_name(name) && std::filesystem::is_regular_file(path, ignored)) {
      mesh = std::make_shared<VisualMesh>(parse_mesh(read_text_file(path), path));
    }
  } catch (const Error& e) {
    file.fail_item(e.what());
  }
  if (mesh) mesh->file = name;
  return meshes_.emplace(name, std::move(mesh)).first->second;
}

}  // namespace limber
