// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/files/document.hpp"
#include "limber/spatial/types.hpp"

namespace limber {

inline constexpr std::size_t kLongestPath = 4000;  // bytes, of the name of a file

// Typed, strict access to one value of a document, with messages that give the location.
// Every failure is an InputError "FILE:LINE: ITEM: PATH what is wrong; what to write instead", in one line:
// "arm.yaml:9: body 'boom': beam.length must be a number, but is 'six'".  A view: the document must outlive it.
class Reader {
 public:
  explicit Reader(const Document& document) : document_(&document), node_(document.root) {}

  // The same value; messages name the item, e.g. "body 'boom'", and paths start here.
  Reader in(std::string item) const;
  // Throws; `what` follows the path: "must be a number", ...
  [[noreturn]] void fail(std::string_view what) const;
  // Throws without the path.
  [[noreturn]] void fail_item(std::string_view what) const;

  const DocumentNode& node() const { return *node_; }                           // the value itself
  const std::string& file() const { return document_->file; }                   // name of the file
  const std::string& item() const { return item_; }                             // as in a message: "body 'link2'"
  const std::string& path() const { return path_; }                             // keys from the item to here
  int line() const { return node_->line; }                                      // in the file, from 1
  bool is_map() const { return node_->kind == DocumentNode::Kind::map; }        // keys and values
  bool is_list() const { return node_->kind == DocumentNode::Kind::list; }      // items
  bool is_scalar() const { return node_->kind == DocumentNode::Kind::scalar; }  // one value
  bool is_quoted() const { return node_->quoted; }  // a scalar in quotes: text, whatever it looks like

  // ---- maps ----
  // A map whose keys are all among `known`.
  void check_keys(std::span<const std::string_view> known) const;
  void check_keys(std::initializer_list<std::string_view> known) const { check_keys({known.begin(), known.size()}); }
  std::vector<std::string> keys() const;
  // Keys and values, in the order of the file.
  std::vector<std::pair<Reader, Reader>> entries() const;
  bool has(std::string_view key) const { return find(key).has_value(); }
  std::optional<Reader> find(std::string_view key) const;
  // Required; `example` shows how to write a missing one: "length: 6".
  Reader at(std::string_view key, std::string_view example) const;
  // The key among the choices that is present; none or two are refused.
  std::string_view one_of(std::initializer_list<std::string_view> choices) const;

  // ---- lists ----
  std::vector<Reader> list() const;  // its items

  // ---- scalars ----
  double number() const;                        // finite
  double positive() const;                      // finite, > 0
  double not_negative() const;                  // finite, >= 0
  int whole_number(int least, int most) const;  // in this range
  bool boolean() const;                         // true or false
  std::string text() const;                     // any scalar
  // A nonempty line of at most `most` bytes.
  std::string one_line(std::size_t most) const;
  // A name for "body.node" and for paths in a recording: no '.', no '/', one line, at most 200 bytes.
  std::string name() const;
  // The index of one of the choices.
  int choice(std::span<const std::string_view> choices) const;

  // ---- arrays ----
  VectorXd numbers() const;                             // any length
  VectorXd numbers(Eigen::Index size) const;            // that length
  VectorXd number_or_numbers(Eigen::Index size) const;  // one number applies to all
  Vector3d vector3() const { return numbers(3); }       // three numbers
  Matrix3d rpy() const;                                 // the rotation of roll, pitch, yaw about fixed axes, in radians
  MatrixXd matrix(Eigen::Index rows, Eigen::Index cols) const;   // a list of rows
  MatrixXd square_or_diagonal(Eigen::Index n) const;             // n rows, or the n numbers of the diagonal
  Eigen::Index length(Eigen::Index most) const;                  // of a list, which must not be longer than `most`
  std::array<MatrixXd, 3> three_matrices(Eigen::Index n) const;  // for x, y, z; each n x n

 private:
  Reader(const Reader& above, const DocumentNode* node, std::string path)
      : document_(above.document_), node_(node), item_(above.item_), path_(std::move(path)) {}
  Reader child(std::string_view key, const DocumentNode* node) const;
  Reader child(std::size_t index) const;
  void need_list(Eigen::Index size, std::string_view what) const;

  const Document* document_;
  const DocumentNode* node_;
  std::string item_, path_;
};

}  // namespace limber
