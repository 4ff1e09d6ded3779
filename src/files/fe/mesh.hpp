// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "files/fe/lines.hpp"
#include "limber/files/fe_files.hpp"

namespace limber::fe {

inline constexpr std::size_t kMaxMeshNodes = 5'000'000;
inline constexpr std::size_t kMaxRows = 3'000'000;  // of a matrix

// Faces of a solid element as corner nodes in order, then as many midside nodes or none.
enum class Solid { tet4, tet10, hex8, hex20, wedge6, wedge15 };

struct RigidBody {
  std::vector<int> nodes;
  long reference = 0, rotation = 0;  // labels; rotation 0: none given
  long line = 0;
};

// Nodes, sets and the surface of a mesh.
class Mesh {
 public:
  // Throws through `lines` if the label is in use by a node at another position.
  void add_node(const Lines& lines, long label, const Vector3d& position);
  int find(long label) const;  // -1: none
  std::size_t size() const { return labels_.size(); }
  // `nodes`: indices, complete for the element.
  void add_solid(Solid kind, const std::vector<int>& nodes);
  void add_face(const std::vector<int>& corners);  // of a shell
  // Writes positions, labels and surface to the part.
  void finish(FeModel& model) const;

  std::map<std::string, std::vector<int>> sets;
  std::vector<RigidBody> rigid;

 private:
  struct Face {
    std::array<int, 4> corners{-1, -1, -1, -1}, middles{-1, -1, -1, -1};
    bool operator<(const Face& other) const { return sorted() < other.sorted(); }
    std::array<int, 4> sorted() const;
  };
  std::vector<std::array<int, 3>> surface() const;

  std::vector<Vector3d> positions_;
  std::vector<long> labels_;
  std::unordered_map<long, int> index_;
  std::vector<Face> faces_;  // of solids: faces shared by two elements are interior
  std::vector<Face> shells_;
};

// Opens the file of an *INCLUDE, by its name in the deck.
using Include = std::function<Lines(const std::string& name)>;
// An input deck of CalculiX or Abaqus: *NODE, *ELEMENT, *NSET, *RIGID BODY, *INCLUDE; all else is skipped.
void read_deck(Lines& lines, const Include& include, Mesh& mesh);
// GRID and elements of Nastran bulk data, SET of case control.
void read_bulk(Lines& lines, Mesh& mesh);

// Entries of a symmetric matrix: one triangle, or both.
class Entries {
 public:
  void add(int row, int column, double value) {
    above_ |= row < column;
    below_ |= row > column;
    if (value != 0 || row == column) entries_.emplace_back(row, column, value);
  }
  std::size_t size() const { return entries_.size(); }
  // Refuses duplicate entries.
  Eigen::SparseMatrix<double> matrix(Eigen::Index n, const std::string& file) const;

 private:
  std::vector<Eigen::Triplet<double>> entries_;
  bool above_ = false, below_ = false;
};

// One matrix in a text; errors are reported through its lines.
Entries read_triplets(Lines& lines, std::size_t rows);      // CalculiX: ROW COL VALUE
std::vector<std::pair<long, int>> read_rows(Lines& lines);  // CalculiX: NODE.DIR, direction 0 ...
Eigen::SparseMatrix<double> read_matrix_market(Lines& lines);
void read_node_table(Lines& lines, Mesh& mesh);

// A matrix whose rows are given by node.
struct NamedMatrix {
  struct Row {
    long node = 0;
    int direction = 0;
    bool operator==(const Row&) const = default;
    bool operator<(const Row& other) const {
      return node != other.node ? node < other.node : direction < other.direction;
    }
  };
  std::vector<Row> rows, columns;
  std::vector<double> values;
};
NamedMatrix read_abaqus_matrix(Lines& lines);
struct Punch {
  std::map<std::string, NamedMatrix> matrices;
};
Punch read_punch(Lines& lines, Mesh& mesh);

// The part from a mesh and K and M given by node.
FeModel join_named(const Mesh& mesh, const NamedMatrix& stiffness, const NamedMatrix& mass, const std::string& file);

}  // namespace limber::fe
