// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "limber/body/visual_mesh.hpp"
#include "limber/files/reader.hpp"

namespace limber {

// The modal-body files and meshes named by a model, each read once, from a folder or from inside a recording.
class BodyFiles {
 public:
  // `kept`: contents by name, instead of files; nullptr: none.
  BodyFiles(std::string folder, const std::map<std::string, std::string>* kept)
      : folder_(std::move(folder)), kept_(kept) {}
  // The body of `file: NAME`.  Throws InputError at the place of the name.
  Body read(const Reader& file, bool second_order);
  // The triangles of `mesh: NAME`; nullptr: the file does not exist or is neither STL nor OBJ.
  std::shared_ptr<const VisualMesh> read_mesh(const Reader& file);

 private:
  std::string folder_;
  const std::map<std::string, std::string>* kept_;
  std::map<std::string, Body> bodies_;
  std::map<std::string, std::shared_ptr<const VisualMesh>> meshes_;
};

}  // namespace limber
