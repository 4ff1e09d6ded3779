// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/files/document.hpp"

namespace limber {

// The path from the root of a document to an existing or new value: "bodies.load.rigid.mass", "gravity.z",
// "inputs.elbow.torque".  Items of a list are addressed by name, by their joint or node, or by index, "inputs[2]";
// components of a numeric list by x, y, z for three and by xx, yy, zz, xy, xz, yz for six.
class DocumentPath {
 public:
  explicit DocumentPath(const DocumentNode* root) : steps_{{root, 0, "", false}} {}

  const DocumentNode& node() const { return *steps_.back().node; }
  const std::string& name() const { return steps_.back().name; }  // of the last step
  std::string text() const;                                       // from the root
  int line() const;                                               // of the value, or of the nearest existing ancestor

  // All values directly below.
  std::vector<DocumentPath> children() const;
  // Descends along `rest`; nothing if it does not exist.  Throws InputError if it matches several items of a list.
  std::optional<DocumentPath> walk(std::string_view rest) const;
  // The same, adding keys that do not exist.  Throws InputError if they would belong to a list or a number. `shown`:
  // the path in messages.
  DocumentPath add(std::string_view rest, const std::string& shown) const;
  // A root with this value replaced; its ancestors are copied.
  const DocumentNode* replace(const DocumentNode* value, Document& owner) const;

 private:
  struct Step {
    const DocumentNode* node;  // null: does not exist
    std::size_t place;         // index in the parent
    std::string name;          // key or name in a list
    bool numbered;             // an item addressed by its index
  };
  // The next step down, with `rest` reduced by it; nothing if there is none.
  std::optional<DocumentPath> step(std::string_view& rest) const;
  DocumentPath below(std::size_t place, std::string name, bool numbered = false) const;
  std::string fault(std::string_view rest) const;

  std::vector<Step> steps_;
};

}  // namespace limber
