// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr double kMaxWork = 1e9;         // multiplications of one fit: runs x terms^2
constexpr double kMaxTerms = 1e5;        // listing limit
constexpr double kRunsPerTerm = 2;       // at least
constexpr int kMaxDegree = 12;           // of polynomials
constexpr int kMaxInteraction = 3;       // parameters in one product
constexpr double kLeastPredicted = 0.8;  // Q^2 below which an expansion has no predictive value
constexpr double kEnough = 1 - 1e-9;     // Q^2 that is not improved by a higher degree
constexpr double kNoSpread = 1e-12;      // deviation relative to size, of a constant
constexpr double kDependent = 1e-8;      // of a pivot, for linearly dependent parameters

using Rows = std::vector<Eigen::Index>;

// Columns with zero mean and unit variance; constant columns are zero.
struct Standard {
  MatrixXd values;
  VectorXd deviation;
};

Standard standardise(const MatrixXd& columns) {
  Standard out{columns, VectorXd::Zero(columns.cols())};
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    const double size = columns.col(k).cwiseAbs().maxCoeff();
    auto x = out.values.col(k);
    x.array() -= x.mean();
    const double deviation = std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
    if (deviation > kNoSpread * size) {
      out.deviation[k] = deviation;
      x /= deviation;
    } else {
      x.setZero();
    }
  }
  return out;
}

Rows changing(const Standard& x) {
  Rows out;
  for (Eigen::Index k = 0; k < x.deviation.size(); ++k)
    if (x.deviation[k] > 0) out.push_back(k);
  return out;
}

// Linear regression of the standardised results on the standardised parameters; returns its coefficients.
void add_regression(const Standard& x, const Standard& y, std::vector<Sensitivity>& out) {
  const Rows used = changing(x);
  const MatrixXd Z = x.values(Eigen::all, used);
  const auto fail = [&](const std::string& why) {
    for (Sensitivity& one : out) one.why_no_regression = why;
  };
  if (used.empty()) return fail("no parameter varies");
  if (Z.rows() < Z.cols() + 2) return fail(fmt::format("{} runs are too few for {} parameters", Z.rows(), Z.cols()));
  if (pivoted_qr(Z, kDependent).rank < Z.cols()) return fail("some parameters always vary together");
  const MatrixXd found = Cholesky(MatrixXd(Z.transpose() * Z)).solve(MatrixXd(Z.transpose() * y.values));
  const MatrixXd rest = y.values - Z * found;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    if (y.deviation[column] == 0) {
      out[k].why_no_regression = "the result does not vary";
      continue;
    }
    out[k].regression.assign(static_cast<std::size_t>(x.deviation.size()), 0.0);
    for (std::size_t i = 0; i < used.size(); ++i)
      out[k].regression[static_cast<std::size_t>(used[i])] = found(static_cast<Eigen::Index>(i), column);
    out[k].explained = 1 - rest.col(column).squaredNorm() / static_cast<double>(rest.rows());
  }
}

// Values (runs x degrees) of the polynomials in x that are orthonormal over the runs: three-term recurrence by the
// discrete Stieltjes procedure [Gautschi, Orthogonal Polynomials, 2004, §2.2.3].  As many as x has distinct values.
MatrixXd orthonormal_polynomials(const VectorXd& x, int degree) {
  const auto n = static_cast<double>(x.size());
  MatrixXd out(x.size(), degree + 1);
  out.col(0).setOnes();
  for (int k = 0; k < degree; ++k) {
    VectorXd next = x.cwiseProduct(out.col(k));
    const double before = std::sqrt(next.squaredNorm() / n);
    // Twice, against rounding, and with all earlier ones, although in theory only two are not orthogonal.
    for (int pass = 0; pass < 2; ++pass) next -= out.leftCols(k + 1) * (out.leftCols(k + 1).transpose() * next) / n;
    const double norm = std::sqrt(next.squaredNorm() / n);
    if (!(norm > kDependent * before)) return out.leftCols(k + 1);
    out.col(k + 1) = next / norm;
  }
  return out;
}

// A product of polynomials: {parameter, degree} of its factors.
using Term = std::vector<std::pair<int, int>>;

// All products of total degree 1 ... `degree`, with the degree of each factor available for its parameter.
void add_terms(const std::vector<MatrixXd>& basis, int parameter, int degree, Term& term, std::vector<Term>& out) {
  if (!term.empty()) out.push_back(term);
  if (static_cast<int>(term.size()) == kMaxInteraction) return;
  for (int i = parameter; i < static_cast<int>(basis.size()); ++i) {
    const int most = std::min(degree, static_cast<int>(basis[static_cast<std::size_t>(i)].cols()) - 1);
    for (int d = 1; d <= most; ++d) {
      term.emplace_back(i, d);
      add_terms(basis, i + 1, degree - d, term, out);
      term.pop_back();
    }
  }
}

// Number of terms if every degree is available.
double count_terms(double parameters, int degree) {
  double count = 0, choices = 1;
  for (int k = 1; k <= std::min(kMaxInteraction, degree); ++k) {
    choices *= (parameters - k + 1) / k;  // of k parameters
    double splits = 1;                    // of at most `degree` into k positive parts: degree over k
    for (int j = 1; j <= k; ++j) splits *= static_cast<double>(degree - j + 1) / j;
    count += choices * splits;
  }
  return count;
}

struct Expansion {
  MatrixXd coefficients;  // (terms x results)
  VectorXd predicted;     // (results) Q^2
};

// Least squares, with the leave-one-out error from the diagonal of the hat matrix.  Both sides have zero mean.
bool fit(const std::vector<MatrixXd>& basis, const std::vector<Term>& terms, const MatrixXd& y, Expansion& out) {
  MatrixXd Psi = MatrixXd::Ones(y.rows(), static_cast<Eigen::Index>(terms.size()) + 1);
  for (std::size_t t = 0; t < terms.size(); ++t)
    for (const auto& [i, d] : terms[t])
      Psi.col(static_cast<Eigen::Index>(t) + 1).array() *= basis[static_cast<std::size_t>(i)].col(d).array();
  MatrixXd gram = MatrixXd::Zero(Psi.cols(), Psi.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(Psi.transpose());
  const Cholesky factor(gram);
  if (!factor.positive_definite()) return false;
  out.coefficients = factor.solve(MatrixXd(Psi.transpose() * y));
  const MatrixXd solved = factor.solve(MatrixXd(Psi.transpose()));
  const VectorXd hat = Psi.transpose().cwiseProduct(solved).colwise().sum();
  if (!hat.allFinite() || hat.maxCoeff() > 1 - 1e-9) return false;
  const MatrixXd rest = ((y - Psi * out.coefficients).array().colwise() / (1 - hat.array())).matrix();
  out.predicted = (1 - rest.colwise().squaredNorm().array() / static_cast<double>(y.rows())).matrix().transpose();
  out.coefficients = MatrixXd(out.coefficients.bottomRows(out.coefficients.rows() - 1));
  return true;
}

// Shares of the variance, the sum of the squares of all coefficients.  [Sudret] (29), (30)
void take_indices(const std::vector<Term>& terms, const VectorXd& c, std::size_t parameters, const Rows& used,
                  Sensitivity& out) {
  out.first.assign(parameters, 0.0);
  out.total.assign(parameters, 0.0);
  const double variance = c.squaredNorm();
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const double share = std::pow(c[static_cast<Eigen::Index>(t)], 2) / variance;
    for (const auto& [i, degree] : terms[t]) {
      const auto parameter = static_cast<std::size_t>(used[static_cast<std::size_t>(i)]);
      out.total[parameter] += share;
      if (terms[t].size() == 1) out.first[parameter] += share;
    }
  }
}

// Whether the largest correlation of two parameters exceeds that expected by chance for the number of runs.
bool correlated(const MatrixXd& Z) {
  const auto n = static_cast<double>(Z.rows());
  MatrixXd C = (Z.transpose() * Z).cwiseAbs() / n;
  C.diagonal().setZero();
  return C.size() > 0 && C.maxCoeff() > std::max(0.1, 4 / std::sqrt(n));
}

void add_sobol(const Standard& x, const Standard& y, std::vector<Sensitivity>& out) {
  const Rows used = changing(x);
  const MatrixXd Z = x.values(Eigen::all, used);
  const auto parameters = static_cast<std::size_t>(x.deviation.size());
  const auto runs = static_cast<double>(Z.rows());
  std::string why = "no parameter varies";
  if (!used.empty()) why = fmt::format("{} runs are too few", Z.rows());
  const bool dependent = !used.empty() && correlated(Z);
  if (dependent) why = "parameters are correlated, but Sobol indices require independent ones";
  std::vector<MatrixXd> basis;
  for (Eigen::Index i = 0; i < Z.cols(); ++i) basis.push_back(orthonormal_polynomials(Z.col(i), kMaxDegree));
  std::vector<double> best(out.size(), -1.0);
  for (int degree = 1; degree <= kMaxDegree && !dependent && !used.empty(); ++degree) {
    if (count_terms(static_cast<double>(used.size()), degree) > kMaxTerms) break;
    std::vector<Term> terms;
    Term term;
    add_terms(basis, 0, degree, term, terms);
    const double count = static_cast<double>(terms.size()) + 1;
    if (count * kRunsPerTerm > runs || count * count * runs > kMaxWork) break;
    Expansion expansion;
    if (!fit(basis, terms, y.values, expansion)) break;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      if (y.deviation[column] == 0 || !(expansion.predicted[column] > best[k])) continue;
      best[k] = out[k].predicted = expansion.predicted[column];
      out[k].degree = degree;
      take_indices(terms, expansion.coefficients.col(column), parameters, used, out[k]);
    }
    if (*std::min_element(best.begin(), best.end()) > kEnough) break;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (best[k] >= kLeastPredicted) continue;
    out[k].first.clear();
    out[k].total.clear();
    out[k].why_no_sobol = y.deviation[static_cast<Eigen::Index>(k)] == 0 ? "the result does not vary"
                          : best[k] <= -1
                              ? why
                              : fmt::format("no polynomial predicts the result (Q² = {:.2f} at best)", best[k]);
  }
}

// By the sampling design: first order by table 2 (b) of [Saltelli 2010], total by (f), Jansen's.
void add_design(const VectorXd& y, Eigen::Index parameters, Eigen::Index points, Sensitivity& out) {
  Rows whole;  // points with the result in all their runs
  for (Eigen::Index k = 0; k < points; ++k) {
    bool finite = true;
    for (Eigen::Index block = 0; block < parameters + 2; ++block)
      finite = finite && std::isfinite(y[block * points + k]);
    if (finite) whole.push_back(k);
  }
  const auto block = [&](Eigen::Index b) { return VectorXd(y.segment(b * points, points)(whole)); };
  constexpr std::size_t kLeastPoints = 8;
  if (whole.size() < kLeastPoints) {
    out.why_no_sobol = fmt::format("{} whole points of the design are too few", whole.size());
    return;
  }
  VectorXd A = block(0), B = block(1);
  const auto n = static_cast<double>(whole.size());
  const double mean = (A.sum() + B.sum()) / (2 * n), size = std::max(A.cwiseAbs().maxCoeff(), B.cwiseAbs().maxCoeff());
  A.array() -= mean;
  B.array() -= mean;
  const double variance = (A.squaredNorm() + B.squaredNorm()) / (2 * n);
  if (!(std::sqrt(variance) > kNoSpread * size)) {
    out.why_no_sobol = "the result does not vary";
    return;
  }
  out.points = static_cast<long>(whole.size());
  for (Eigen::Index i = 0; i < parameters; ++i) {
    const VectorXd change = (block(i + 2).array() - mean).matrix() - A;
    out.first.push_back(B.dot(change) / (n * variance));
    out.total.push_back(change.squaredNorm() / (2 * n * variance));
  }
}

}  // namespace

std::vector<Sensitivity> compute_sensitivities(const MatrixXd& parameters, const MatrixXd& results, long points) {
  // Results that are finite in the same runs share one fit.
  std::map<Rows, Rows> groups;
  for (Eigen::Index k = 0; k < results.cols(); ++k) {
    Rows finite;
    for (Eigen::Index i = 0; i < results.rows(); ++i)
      if (std::isfinite(results(i, k)) && parameters.row(i).allFinite()) finite.push_back(i);
    groups[finite].push_back(k);
  }
  std::vector<Sensitivity> out(static_cast<std::size_t>(results.cols()));
  for (const auto& [rows, columns] : groups) {
    std::vector<Sensitivity> found(columns.size());
    for (Sensitivity& one : found) one.runs = static_cast<long>(rows.size());
    if (rows.size() < 2) {
      for (Sensitivity& one : found) one.why_no_regression = one.why_no_sobol = "fewer than two runs have the result";
    } else {
      const Standard x = standardise(parameters(rows, Eigen::all)), y = standardise(results(rows, columns));
      add_regression(x, y, found);
      if (points == 0) add_sobol(x, y, found);
    }
    for (std::size_t k = 0; k < columns.size(); ++k) out[static_cast<std::size_t>(columns[k])] = std::move(found[k]);
  }
  if (points > 0 && results.rows() == points * (parameters.cols() + 2))
    for (std::size_t k = 0; k < out.size(); ++k)
      add_design(results.col(static_cast<Eigen::Index>(k)), parameters.cols(), points, out[k]);
  return out;
}

}  // namespace limber
