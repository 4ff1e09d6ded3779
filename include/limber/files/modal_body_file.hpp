// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "limber/body/part.hpp"

namespace limber {

inline constexpr int kModalBodyFormat = 1;

// A modal-body file: docs/modal-body.md.
struct ModalBodyFile {
  Body body;  // without a name; part_of(body) has its surface and its bytes
  VectorXd free_hertz;
  std::vector<std::pair<std::string, std::string>> facts;  // label and value: origin, units, reduction, checks
  std::vector<std::string> warnings;
  double bytes = 0;
};

// Writes the result of a reduction and its surface, atomically.  Throws FileError.
void write_modal_body(const std::string& path, const FePart& part, const FeReduction& reduction,
                      const std::vector<std::pair<std::string, std::string>>& facts,
                      const std::vector<std::string>& never_overwrites = {});

// Files are untrusted and are read in a separate process, like recordings.  Throws FileError or InputError
// "NAME: ...": not a modal body, damaged, external links or data, inconsistent sizes, an impossible body.
ModalBodyFile read_modal_body(const std::string& path);
ModalBodyFile parse_modal_body(const std::string& bytes, const std::string& name);
// Whether a file is HDF5 and marked as a modal body.
bool is_modal_body(const std::string& path);

// The body as modal data of MBDyn (.fem), its nodes numbered from 1: record groups 1 to 10, 12 (rigid inertia), 13
// (damping) and the inertia invariants 14 to 18, which MBDyn reads since 2017.
std::string mbdyn_text(const Body& body);
void write_mbdyn(const Body& body, const std::string& path, const std::string& never_overwrites);

}  // namespace limber
