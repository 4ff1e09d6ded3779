// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "limber/files/reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

// Finds the items of a model by the names in a scenario; an unknown name is refused, with the known ones.
class ModelNames {
 public:
  explicit ModelNames(const Model& model);  // which must outlive it
  const Model& model() const { return model_; }

  // Index of the body with that name, or carried by the joint of that name; -1: none.
  int find_body(const std::string& name) const { return find(bodies_, name); }
  int find_joint(const std::string& name) const { return find(joints_, name); }
  // The same of a value in a file.
  int body(const Reader& reference) const;
  int joint(const Reader& reference) const;
  // `body.node`, or a body for its frame.
  NodeRef node(const Reader& reference) const;
  std::vector<std::string_view> body_names() const;
  std::vector<std::string_view> joint_names() const;

 private:
  using Indices = std::unordered_map<std::string, int>;
  static int find(const Indices& indices, const std::string& name) {
    const auto found = indices.find(name);
    return found == indices.end() ? -1 : found->second;
  }
  const Model& model_;
  Indices bodies_, joints_;
};

}  // namespace limber
