// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/spatial/types.hpp"

namespace limber {

// The sensitivity of one result of a study to its parameters, from the runs in which the result is finite.
struct Sensitivity {
  long runs = 0;

  // Standardised regression: coefficients b_i s_i / s_y of the linear least-squares fit; R^2 is the share of the
  // variance that it explains ([Saltelli] §1.2).  Empty: see why_no_regression.  A parameter that never changes has 0.
  std::vector<double> regression;
  double explained = 0;
  std::string why_no_regression;

  // Sobol indices: the share of the variance due to each parameter alone, and with all its interactions.  Empty: see
  // why_no_sobol.  From the design of the runs [Saltelli 2010], or from a polynomial chaos expansion of them [Sudret].
  std::vector<double> first, total;
  long points = 0;       // of the design; 0: from an expansion
  int degree = 0;        // of the expansion
  double predicted = 0;  // Q^2, 1 minus the leave-one-out error over the variance
  std::string why_no_sobol;
};

// For each column of `results` (runs x results) with respect to the columns of `parameters` (runs x parameters). Values
// of results or parameters that are not finite are omitted.  Word parameters have the index of their word.
//   points > 0: the rows are those of Saltelli's design, points each: samples A and B, then A with column i of B for
// each parameter i.  A point is omitted if one of its runs has no result.
//   Cost: O(runs terms^2), at most kMaxWork operations for each degree and each set of runs with finite results.
//   [Saltelli] Saltelli et al., Global Sensitivity Analysis: The Primer, Wiley 2008.
//   [Sudret] B. Sudret, Global sensitivity analysis using polynomial chaos expansions, Reliability Engineering and
//   System Safety 93 (2008) 964-979.
//   [Saltelli 2010] Saltelli et al., Variance based sensitivity analysis of model output, Computer Physics
//   Communications 181 (2010) 259-270.
std::vector<Sensitivity> compute_sensitivities(const MatrixXd& parameters, const MatrixXd& results, long points = 0);

}  // namespace limber
