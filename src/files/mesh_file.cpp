// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "files/fe/lines.hpp"
#include "limber/body/detail/surface.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;  // bytes
constexpr double kFar = 1e30;
using Corner = std::array<float, 3>;

static_assert(std::endian::native == std::endian::little, "binary STL is read as it is");

bool ends_with(const std::string& name, std::string_view ending) {
  return name.size() >= ending.size() && fe::upper(name).ends_with(ending);
}

// Three corners per triangle, in order.
std::vector<Corner> read_binary_stl(const std::string& bytes, const std::string& name) {
  std::uint32_t count = 0;
  if (bytes.size() >= kStlHeader) std::memcpy(&count, bytes.data() + kStlHeader - sizeof count, sizeof count);
  if (bytes.size() < kStlHeader || (bytes.size() - kStlHeader) / kStlTriangle < count)
    throw InputError(fmt::format("{}: a binary STL of {} triangles has {} bytes, not {}; the file was cut short?", name,
                                 count, kStlHeader + kStlTriangle * count, bytes.size()));
  std::vector<Corner> out(3 * std::size_t{count});
  for (std::size_t k = 0; k < count; ++k)  // a normal, three corners, two bytes
    std::memcpy(&out[3 * k], bytes.data() + kStlHeader + kStlTriangle * k + sizeof(Corner), 3 * sizeof(Corner));
  return out;
}

Corner corner_of(const fe::Lines& lines, const std::vector<std::string_view>& words) {
  if (words.size() < 4) lines.fail("a corner needs three coordinates");
  Corner out{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double x = fe::number_at(lines, words[c + 1], "a coordinate");
    if (std::abs(x) > kFar) lines.fail("a coordinate is larger than any drawing");
    out[c] = static_cast<float>(x);
  }
  return out;
}

std::vector<Corner> read_text_stl(fe::Lines& lines) {
  std::vector<Corner> out;
  std::string_view line;
  while (lines.next(line)) {
    const auto words = fe::words(line);
    if (words.empty()) continue;
    const std::string word = fe::upper(words[0]);
    if (word == "VERTEX") out.push_back(corner_of(lines, words));
    if (word == "ENDFACET" && out.size() % 3 != 0) lines.fail("a facet must have three corners; make triangles of it");
  }
  if (out.size() % 3 != 0) lines.fail("ends inside a facet; the file was cut short?");
  return out;
}

// "12/5/3" or "-1": the index of the corner, from 0.
std::size_t index_of(const fe::Lines& lines, std::string_view word, std::size_t there) {
  const long given = fe::integer_at(lines, word.substr(0, word.find('/')), "the number of a corner");
  const long index = given < 0 ? static_cast<long>(there) + given : given - 1;
  if (given == 0 || index < 0 || index >= static_cast<long>(there))
    lines.fail(fmt::format("corner {} does not exist: {} were given so far", given, there));
  return static_cast<std::size_t>(index);
}

std::vector<Corner> read_obj(fe::Lines& lines) {
  std::vector<Corner> points, out;
  std::string_view line;
  while (lines.next(line)) {
    const auto words = fe::words(line);
    if (words.empty()) continue;
    if (words[0] == "v") points.push_back(corner_of(lines, words));
    if (words[0] != "f") continue;
    if (words.size() < 4) lines.fail("a face needs three corners");
    const std::size_t first = index_of(lines, words[1], points.size());
    for (std::size_t k = 2; k + 1 < words.size(); ++k)
      for (const std::size_t i :
           {first, index_of(lines, words[k], points.size()), index_of(lines, words[k + 1], points.size())})
        out.push_back(points[i]);
  }
  return out;
}

// Merges equal corners into one point.
void weld(const std::vector<Corner>& corners, VisualMesh& out) {
  std::vector<Corner> points = corners;
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  out.points.resize(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      out.points(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(i)) = static_cast<double>(points[i][c]);
  const auto index = [&](const Corner& corner) {
    return static_cast<int>(std::lower_bound(points.begin(), points.end(), corner) - points.begin());
  };
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3)
    out.triangles.push_back({index(corners[k]), index(corners[k + 1]), index(corners[k + 2])});
}

// Keeps only the points in use.
void thin_mesh(VisualMesh& mesh) {
  mesh.triangles = thin_surface(mesh.points, mesh.triangles);
  const std::vector<int> left = points_of(mesh.triangles);
  Matrix3Xd points(3, static_cast<Eigen::Index>(left.size()));
  for (std::size_t i = 0; i < left.size(); ++i) points.col(static_cast<Eigen::Index>(i)) = mesh.points.col(left[i]);
  mesh.points = std::move(points);
  for (auto& triangle : mesh.triangles)
    for (int& p : triangle) p = static_cast<int>(std::lower_bound(left.begin(), left.end(), p) - left.begin());
}

std::string binary_stl(const VisualMesh& mesh) {
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  std::string out(kStlHeader + kStlTriangle * std::size_t{count}, '\0');
  std::memcpy(out.data() + kStlHeader - sizeof count, &count, sizeof count);
  char* at = out.data() + kStlHeader;
  for (const auto& triangle : mesh.triangles) {
    at += sizeof(Corner);  // the normal is computed from the corners
    for (const int p : triangle) {
      const Eigen::Vector3f x = mesh.points.col(p).cast<float>();
      std::memcpy(at, x.data(), sizeof(Corner));
      at += sizeof(Corner);
    }
    at += kStlTriangle - 4 * sizeof(Corner);
  }
  return out;
}

// Text STL begins with "solid"; so do some binary files, which are recognised by their size.
bool is_text_stl(const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() >= kStlHeader) std::memcpy(&count, bytes.data() + kStlHeader - sizeof count, sizeof count);
  const bool fits = bytes.size() >= kStlHeader && bytes.size() == kStlHeader + kStlTriangle * std::size_t{count};
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return !fits && first != std::string::npos && fe::upper(std::string_view(bytes).substr(first, 5)) == "SOLID";
}

}  // namespace

bool is_mesh_name(const std::string& name) { return ends_with(name, ".STL") || ends_with(name, ".OBJ"); }

VisualMesh parse_mesh(const std::string& bytes, const std::string& name) {
  VisualMesh out;
  std::vector<Corner> corners;
  if (is_text_stl(bytes)) {
    fe::Lines lines(bytes, name);
    corners = read_text_stl(lines);
  } else if (ends_with(name, ".OBJ") && bytes.find('\0') == std::string::npos) {
    fe::Lines lines(bytes, name);
    corners = read_obj(lines);
  } else {
    corners = read_binary_stl(bytes, name);
  }
  for (const Corner& corner : corners)
    for (const float x : corner)
      if (!(std::abs(x) <= kFar)) throw InputError(fmt::format("{}: a coordinate is not a finite number", name));
  weld(corners, out);
  thin_mesh(out);
  out.bytes = binary_stl(out);
  return out;
}

std::string find_mesh(const std::string& reference, const std::string& folder) {
  namespace fs = std::filesystem;
  constexpr std::string_view kFile = "file://", kPackage = "package://";
  if (reference.starts_with(kFile)) return reference.substr(kFile.size());
  if (!reference.starts_with(kPackage)) return reference;
  std::error_code failure;
  const fs::path inside = reference.substr(kPackage.size());
  const fs::path start = fs::absolute(folder.empty() ? "." : folder, failure).lexically_normal();
  if (failure || inside.is_absolute()) return "";
  for (fs::path at = start;; at = at.parent_path()) {
    if (fs::is_regular_file(at / inside, failure)) return (at / inside).lexically_relative(start).string();
    if (at == at.parent_path()) return "";
  }
}

}  // namespace limber
