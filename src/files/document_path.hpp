// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/files/document.hpp"

namespace limber {

// The way from the root of a document to one of its values, or to one that is to be: "bodies.load.rigid.mass",
// "gravity.z", "inputs.elbow.torque".  Items of a list go by their name, or by the joint or node that they are of, or
// by their number, "inputs[2]"; numbers of a list by x, y, z where it has three and by xx, yy, zz, xy, xz, yz where it
// has six.
class DocumentPath {
 public:
  explicit DocumentPath(const DocumentNode* root) : steps_{{root, 0, "", false}} {}

  const DocumentNode& node() const { return *steps_.back().node; }
  const std::string& name() const { return steps_.back().name; }  // of the last step
  std::string text() const;                                       // from the root
  int line() const;                                               // of the value, or of the one above that is written

  // All values directly below.
  std::vector<DocumentPath> children() const;
  // Down along `rest`; nothing where that is not written.  Throws InputError: it fits several items of a list.
  std::optional<DocumentPath> walk(std::string_view rest) const;
  // The same, and new keys where it is not written.  Throws InputError: they would belong to a list or a number.
  // `shown`: the path in messages.
  DocumentPath add(std::string_view rest, const std::string& shown) const;
  // A root with this value in place of the one here; what leads to it is copied.
  const DocumentNode* replace(const DocumentNode* value, Document& owner) const;

 private:
  struct Step {
    const DocumentNode* node;  // null: not written
    std::size_t place;         // among the items of the one above
    std::string name;          // key or name in a list
    bool numbered;             // an item that goes by its number
  };
  // The next step down, and what is left of the path; nothing where there is none.
  std::optional<DocumentPath> step(std::string_view& rest) const;
  DocumentPath below(std::size_t place, std::string name, bool numbered = false) const;
  std::string fault(std::string_view rest) const;

  std::vector<Step> steps_;
};

}  // namespace limber
