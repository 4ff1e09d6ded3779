// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The assembly tree.  The model is decomposed into heavy paths: a path continues to the child with the largest subtree.
// A path is halved by weight, where a body's weight includes its side branches.  A body with large side branches is
// thus near the root of its path's tree, and the levels of all paths from a leaf to the ground sum to O(log N).
// theory §6.
#include <algorithm>

#include "limber/dynamics/detail/dca.hpp"

namespace limber {
namespace {

class Builder {
 public:
  Builder(const Layout& layout, DcaTree& tree) : layout_(layout), tree_(tree) {
    const int count = static_cast<int>(layout.links.size());
    children_.resize(count);
    bodies_.assign(count, 1);
    for (int i = 1; i < count; ++i) children_[layout.links[i].parent].push_back(i);
    for (int i = count - 1; i > 0; --i) bodies_[layout.links[i].parent] += bodies_[i];
    tree.parts.reserve(2 * static_cast<std::size_t>(count));
    if (count > 1) tree.ground = make_branches(kGround, children_[kGround]);
  }

  int levels_of_branch(int b) const {
    if (b < 0) return 0;
    const DcaBranch& branch = tree_.branches[b];
    if (branch.part >= 0) return 1 + levels_of_part(branch.part);
    return 1 + std::max(levels_of_branch(branch.left), levels_of_branch(branch.right));
  }

 private:
  // A single body adds its loads one after the other.
  int levels_of_part(int p) const {
    const DcaPart& part = tree_.parts[p];
    if (part.left < 0) return 1 + part.load_end - part.load_begin + levels_of_branch(part.branch);
    return 1 + std::max(levels_of_part(part.left), levels_of_part(part.right));
  }

  // Cuts a range of weights in two so that the heavier half is as light as possible.
  template <typename Weight>
  static int find_cut(int begin, int end, Weight weight) {
    const auto heavier = [&](int m) { return std::max(weight(begin, m), weight(m, end)); };
    int cut = begin + 1;
    while (cut + 1 < end && heavier(cut + 1) <= heavier(cut)) ++cut;
    return cut;
  }

  int heaviest(const std::vector<int>& bodies) const {
    return *std::max_element(bodies.begin(), bodies.end(), [&](int a, int b) { return bodies_[a] < bodies_[b]; });
  }

  // The path that starts with body i.
  int make_path(int i) {
    std::vector<int> path = {i};
    while (!children_[path.back()].empty()) path.push_back(heaviest(children_[path.back()]));
    std::vector<int> sums = {0};
    for (std::size_t k = 0; k < path.size(); ++k) {
      const int beyond = k + 1 < path.size() ? bodies_[path[k + 1]] : 0;
      sums.push_back(sums.back() + bodies_[path[k]] - beyond);
    }
    const int part = make_parts(path, sums, 0, static_cast<int>(path.size()));
    tree_.parts[part].closes = true;
    return part;
  }

  int make_parts(const std::vector<int>& path, const std::vector<int>& sums, int begin, int end) {
    if (end - begin == 1) return make_body(path, begin);
    const int cut = find_cut(begin, end, [&](int a, int b) { return sums[b] - sums[a]; });
    DcaPart part;
    part.left = make_parts(path, sums, begin, cut);
    part.right = make_parts(path, sums, cut, end);
    tree_.parts[part.right].closes = true;
    part.first = path[begin];
    part.attachment = tree_.parts[part.right].attachment;
    part.open = tree_.parts[part.right].open;
    part.bodies = sums[end] - sums[begin];
    tree_.parts.push_back(part);
    return static_cast<int>(tree_.parts.size()) - 1;
  }

  int make_body(const std::vector<int>& path, int k) {
    const int i = path[k];
    const Link& link = layout_.links[i];
    DcaPart part;
    part.first = i;
    part.bodies = bodies_[i];
    std::vector<int> aside;
    for (const int child : children_[i]) {
      if (k + 1 < static_cast<int>(path.size()) && child == path[k + 1]) {
        part.open = true;
        part.attachment = layout_.links[child].attachment;
        part.bodies -= bodies_[child];
      } else {
        aside.push_back(child);
      }
    }
    part.rigid = part.attachment < 0 && link.inboard < 0;
    part.branch = make_branches(i, aside);
    part.load_begin = load_begin_;
    part.load_end = static_cast<int>(tree_.loads.size());
    bool loaded = false;
    for (int l = part.load_begin; l < part.load_end; ++l) loaded = loaded || tree_.loads[l].attachment >= 0;
    part.direct = link.n > 0 && link.constants->mass_diagonal() && link.inboard < 0 && !loaded;
    tree_.parts.push_back(part);
    return static_cast<int>(tree_.parts.size()) - 1;
  }

  // Branches of body i: first those at the same place are joined, then all.  Appends the loads of the body, from
  // load_begin_.
  int make_branches(int i, const std::vector<int>& bodies) {
    std::vector<int> places;  // one branch each
    std::vector<DcaLoad> loads;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const int attachment = layout_.links[bodies[k]].attachment;
      if (std::any_of(loads.begin(), loads.end(), [&](const DcaLoad& l) { return l.attachment == attachment; }))
        continue;
      std::vector<int> here;
      for (const int body : bodies) {
        if (layout_.links[body].attachment == attachment) here.push_back(make_branch(make_path(body)));
      }
      places.push_back(gather(here, i != kGround));
      loads.push_back({attachment, places.back()});
    }
    load_begin_ = static_cast<int>(tree_.loads.size());
    tree_.loads.insert(tree_.loads.end(), loads.begin(), loads.end());
    return places.empty() ? -1 : gather(places, false);
  }

  int make_branch(int part) {
    DcaBranch branch;
    branch.part = part;
    branch.bodies = tree_.parts[part].bodies;
    tree_.branches.push_back(branch);
    return static_cast<int>(tree_.branches.size()) - 1;
  }

  // A balanced tree over branches.
  int gather(const std::vector<int>& branches, bool sum) {
    std::vector<int> sums = {0};
    for (const int b : branches) sums.push_back(sums.back() + tree_.branches[b].bodies);
    return gather(branches, sums, 0, static_cast<int>(branches.size()), sum);
  }
  int gather(const std::vector<int>& branches, const std::vector<int>& sums, int begin, int end, bool sum) {
    if (end - begin == 1) return branches[begin];
    const int cut = find_cut(begin, end, [&](int a, int b) { return sums[b] - sums[a]; });
    DcaBranch both;
    both.left = gather(branches, sums, begin, cut, sum);
    both.right = gather(branches, sums, cut, end, sum);
    both.sum = sum;
    both.bodies = sums[end] - sums[begin];
    tree_.branches.push_back(both);
    return static_cast<int>(tree_.branches.size()) - 1;
  }

  const Layout& layout_;
  DcaTree& tree_;
  std::vector<std::vector<int>> children_;
  std::vector<int> bodies_;  // (body) number of bodies in its subtree, including itself
  int load_begin_ = 0;
};

}  // namespace

DcaTree::DcaTree(const Layout& layout) {
  const Builder builder(layout, *this);
  levels = builder.levels_of_branch(ground);
}

}  // namespace limber
