// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "limber/body/part.hpp"

namespace limber {

// Finite-element models from other programs: docs/modal-body.md.  Files may be compressed: if FILE does not
// exist, FILE.xz and FILE.gz are tried.  Numbers are in the units of the file.  An error in the content is an
// InputError "FILE:LINE: what is wrong; what to do"; a file that cannot be read is a FileError.
struct FeModel {
  FePart part;
  std::map<std::string, std::vector<int>> sets;  // of nodes, by name in capitals
  std::string files;                             // names of the files read, for provenance
};

// JOB.sti, JOB.mas, JOB.dof of CalculiX (*FREQUENCY, SOLVER=MATRIXSTORAGE) and the deck with its mesh.
FeModel read_calculix(const std::string& job, const std::string& mesh);
// DMIG entries of a punch file, one matrix whose name begins with K and one with M; GRID and elements of `mesh`, a bulk
// data file, or of the punch file itself if `mesh` is empty.
FeModel read_nastran(const std::string& punch, const std::string& mesh);
// Matrices of *MATRIX OUTPUT in the format "node, degree of freedom, node, degree of freedom, value".
FeModel read_abaqus(const std::string& stiffness, const std::string& mass, const std::string& mesh);
// MatrixMarket, with rows x, y, z (and rotations) of the nodes in the order of a table: node, x, y, z [, set].
FeModel read_matrices(const std::string& stiffness, const std::string& mass, const std::string& nodes);

// Nodes of "SET", or of a list of numbers such as "12,15,20-31".  Throws InputError that lists the existing sets.
std::vector<int> find_nodes(const FeModel& model, const std::string& text);

enum class FeUnits { m_kg_s, mm_t_s };
// Into SI units.
void convert_units(FeUnits units, FePart& part);

}  // namespace limber
