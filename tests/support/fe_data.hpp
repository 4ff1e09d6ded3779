// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/fe_files.hpp"

// The finite-element parts of tests/data/fe, made with gmsh 4.8 and CalculiX 2.20.  For sources with LIMBER_TEST_DATA.
#define LIMBER_FE(name) (std::string(LIMBER_TEST_DATA "/fe/") + (name))

namespace limber::test {

inline FeModel read_part(const std::string& job, const std::string& mesh, FeUnits units = FeUnits::m_kg_s) {
  FeModel model = read_calculix(job, mesh);
  convert_units(units, model.part);
  return model;
}

inline std::vector<FeInterface> both_ends(const FeModel& model, FeCoupling coupling) {
  return {{"base", find_nodes(model, "NBASE"), coupling}, {"tip", find_nodes(model, "NTIP"), coupling}};
}

}  // namespace limber::test
