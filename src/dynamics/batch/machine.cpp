// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "limber/model/detail/layout.hpp"
#include "limber/model/slider.hpp"

namespace limber {
namespace {

// Modes up to which all of them stay columns of the elimination: no more than a node has active coordinates.
constexpr int kMaxPlainModes = 6;
constexpr double kSameDirection = 1e-12;  // rows that are combinations of others, but for rounding

int put(std::vector<double>& pool, const std::vector<double>& numbers) {
  const auto at = static_cast<int>(pool.size());
  pool.insert(pool.end(), numbers.begin(), numbers.end());
  return at;
}
int put(std::vector<double>& pool, const MatrixXd& M) {  // by rows
  std::vector<double> numbers;
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    for (Eigen::Index j = 0; j < M.cols(); ++j) numbers.push_back(M(i, j));
  return put(pool, numbers);
}

void put_matrix(const Matrix3d& R, double* out) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[3 * i + j] = R(i, j);
}
void put_pose(const PackedPose& X, double* out) {
  const Pose pose = to_pose(X);
  put_matrix(pose.R, out);
  for (int i = 0; i < 3; ++i) out[9 + i] = pose.p[i];
}

// The nine numbers of C_ab that the dynamics reads: tr C 1 - sym C, ax(C).
std::array<double, 9> numbers_of(const Matrix3d& C) {
  return {C(1, 1) + C(2, 2),          C(0, 0) + C(2, 2),          C(0, 0) + C(1, 1),
          -0.5 * (C(0, 1) + C(1, 0)), -0.5 * (C(0, 2) + C(2, 0)), -0.5 * (C(1, 2) + C(2, 1)),
          C(2, 1) - C(1, 2),          C(0, 2) - C(2, 0),          C(1, 0) - C(0, 1)};
}
PairForm form_of(const std::array<double, 9>& c) {
  unsigned used = 0;
  for (unsigned i = 0; i < 9; ++i) used |= (c[i] != 0 ? 1u : 0u) << i;
  const auto only = [&](unsigned bits) { return (used & ~bits) == 0; };
  if (used == 0) return PairForm::none;
  if (only(0b000000111)) return PairForm::diagonal;
  if (only(0b001100000)) return PairForm::x;
  if (only(0b010010000)) return PairForm::y;
  if (only(0b100001000)) return PairForm::z;
  return PairForm::any;
}

HingeForm form_of(JointKind kind) {
  return static_cast<int>(kind) <= static_cast<int>(JointKind::free) ? static_cast<HingeForm>(kind) : HingeForm::screws;
}

void set_batch_joint(const Link& from, BatchLink& link) {
  link.form = form_of(from.kind);
  link.nr = from.nr;
  for (int i = 0; i < 3; ++i) {
    put_pose(from.K[i], link.K[i]);
    put_pose(from.L[i], link.L[i]);
    link.slide[i] = from.slide[i];
    link.axis[i] = from.axis[i];
  }
  for (int k = 0; k < from.nr; ++k) {
    for (int i = 0; i < 3; ++i) link.H[k][i] = from.H[k].ang[i], link.H[k][3 + i] = from.H[k].lin[i];
  }
  link.varies = from.varies ? 1 : 0;
  link.passive = from.passive ? 1 : 0;
  std::copy_n(from.stiffness, 6, link.stiffness);
  std::copy_n(from.damping, 6, link.damping);
  std::copy_n(from.armature, 6, link.armature);
  link.centred = from.kind == JointKind::revolute && from.inboard < 0 && link.H[0][3] == 0 && link.H[0][4] == 0 &&
                 link.H[0][5] == 0;
}

// Mass integrals, stiffness and damping of a body.
void set_body(const Body& body, const BodyConstants& constants, BatchLink& link, BatchMachine& out) {
  const int ne = constants.ne, n = constants.n;
  link.n = n;
  link.ne = ne;
  link.m = body.mass;
  const auto rigid = numbers_of(body.c(0, 0));
  for (int i = 0; i < 3; ++i) link.s[i] = body.S(i, 0);
  std::copy_n(rigid.begin(), 6, link.J);
  std::vector<double> S, first, pairs, G;
  link.forms = static_cast<int>(out.indices.size());
  for (int a = 1; a <= ne; ++a) {
    for (int i = 0; i < 3; ++i) S.push_back(body.S(i, a));
    const auto c = numbers_of(body.c(a, 0));
    first.insert(first.end(), c.begin(), c.end());
    for (int b = 1; b <= ne; ++b) {
      const auto p = numbers_of(body.c(a, b));
      pairs.insert(pairs.end(), p.begin(), p.end());
      out.indices.push_back(static_cast<int>(form_of(p)));
      G.push_back(body.c(a, b).trace());
    }
  }
  link.S = put(out.numbers, S);
  link.first_pairs = put(out.numbers, first);
  link.pairs = put(out.numbers, pairs);
  link.G = put(out.numbers, G);
  link.mass_varies = ne > n ? 1 : 0;
  link.mass_diagonal = constants.mass_diagonal() ? 1 : 0;
  link.elastic_diagonal = constants.elastic_diagonal ? 1 : 0;
  link.K_modes = put(out.numbers, constants.K);
  link.D_modes = put(out.numbers, constants.D);
  link.mode_pairs = static_cast<int>(out.indices.size());
  for (const ModePair& pair : constants.pairs) out.indices.insert(out.indices.end(), {pair.a, pair.b});
}

int add_node(const Body& body, const Link& link, int i, int index, BatchMachine& out) {
  BatchNode node;
  const Node& from = body.nodes[index];
  node.body = i;
  node.moves = link.constants->nodes[index].moves ? 1 : 0;
  for (int k = 0; k < 3; ++k) node.position[k] = from.position[k];
  put_matrix(from.rotation, node.rotation);
  node.turned = from.rotation.isIdentity(0) ? 0 : 1;
  std::vector<double> gamma, lambda, second;
  const NodeConstants& constants = link.constants->nodes[index];
  for (int k = 0; k < link.n; ++k) {
    for (int r = 0; r < 3; ++r) {
      gamma.push_back(constants.gamma[k][r]);
      lambda.push_back(constants.lambda[k][r]);
    }
  }
  for (const Vec4d& xi : constants.second) second.insert(second.end(), {xi[0], xi[1], xi[2]});
  node.gamma = put(out.numbers, gamma);
  node.lambda = put(out.numbers, lambda);
  if (!second.empty()) node.second = put(out.numbers, second);
  out.nodes.push_back(node);
  return static_cast<int>(out.nodes.size()) - 1;
}

// Orthonormal rows that span those of the nodes in the metric of the modal mass.  theory §5, Active coordinates.
MatrixXd find_active_directions(const BatchLink& link, const VectorXd& root, const BatchMachine& out) {
  const int n = link.n;
  MatrixXd Q(0, n);
  for (int h = link.first_node; h < link.last_node; ++h) {
    const BatchNode& node = out.nodes[h];
    for (int r = 0; r < 6; ++r) {
      const double* from = &out.numbers[r < 3 ? node.lambda : node.gamma];
      Eigen::RowVectorXd row(n);
      for (int a = 0; a < n; ++a) row[a] = root[a] * from[3 * a + r % 3];
      if (!(row.norm() > 0)) continue;
      row.normalize();
      for (int pass = 0; pass < 2; ++pass) row -= (row * Q.transpose()).eval() * Q;
      if (!(row.norm() > kSameDirection)) continue;
      Q.conservativeResize(Q.rows() + 1, n);
      Q.row(Q.rows() - 1) = row.normalized();
      if (Q.rows() == n) return Q;
    }
  }
  return Q;
}

// The modal columns of a body: active coordinates where they are fewer, else all modes.
void set_columns(const Link& from, const BatchChoice& choice, BatchLink& link, BatchMachine& out) {
  const bool implicit = choice.c_D != 0 || choice.c_K != 0;
  const int n = link.n;
  const VectorXd K = Eigen::Map<const VectorXd>(&out.numbers[link.K_modes], link.elastic_diagonal ? n : n * n);
  const VectorXd D = Eigen::Map<const VectorXd>(&out.numbers[link.D_modes], link.elastic_diagonal ? n : n * n);
  link.k = n;
  MatrixXd G(n, n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) G(a, b) = out.numbers[link.G + a * link.ne + b];
  if (link.parameters < 0) {
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        if (link.elastic_diagonal && a != b) continue;
        const int at = link.elastic_diagonal ? a : a * n + b;
        G(a, b) += choice.c_D * D[at] + choice.c_K * K[at];
      }
    }
  }
  link.D_0 = put(out.numbers, G);
  const bool diagonal = link.mass_diagonal && (!implicit || (link.elastic_diagonal && link.parameters < 0));
  if (n <= kMaxPlainModes || link.mass_varies || !diagonal || from.elimination != Elimination::active) return;
  for (int h = link.first_node; h < link.last_node; ++h) {
    if (out.nodes[h].second >= 0) return;
  }
  const VectorXd weight = G.diagonal().cwiseInverse(), root = weight.cwiseSqrt();
  const MatrixXd T = find_active_directions(link, root, out) * root.asDiagonal();
  if (T.rows() >= n) return;
  link.active = 1;
  link.k = static_cast<int>(T.rows());
  link.T = put(out.numbers, T);
  link.weight = put(out.numbers, MatrixXd(weight));
  for (int h = link.first_node; h < link.last_node; ++h) {
    BatchNode& node = out.nodes[h];
    std::vector<double> columns;
    for (int c = 0; c < link.k; ++c) {
      for (int r = 0; r < 6; ++r) {
        const double* row = &out.numbers[r < 3 ? node.lambda : node.gamma];
        double sum = 0;
        for (int a = 0; a < n; ++a) sum += T(c, a) * row[3 * a + r % 3];
        columns.push_back(sum);
      }
    }
    node.active = put(out.numbers, columns);
  }
}

// The child side of a joint is where its inboard frame is, whatever its coordinates.
bool is_at_origin(const BatchLink& link) {
  if ((link.form != HingeForm::fixed && link.form != HingeForm::revolute) || link.inboard >= 0) return false;
  return std::all_of(link.K, link.K + 3, [](const double* K) { return K[9] == 0 && K[10] == 0 && K[11] == 0; });
}

// Who follows whom, and who opens a place that several add to.
void set_order(BatchMachine& out) {
  std::vector<int> carried(out.links.size(), 0);
  for (std::size_t i = 1; i < out.links.size(); ++i) ++carried[out.links[i].parent];
  std::vector<bool> opened(out.nodes.size(), false), frame_opened(out.links.size(), false);
  for (std::size_t i = out.links.size() - 1; i > 0; --i) {
    BatchLink& link = out.links[i];
    BatchLink& parent = out.links[link.parent];
    link.at_node = link.node >= 0 && parent.beam >= 0;
    link.on_node = link.at_node && is_at_origin(link);
    link.follows = link.parent > 0 && link.parent == static_cast<int>(i) - 1 && carried[link.parent] == 1;
    if (link.follows) parent.followed = 1;
    parent.keeps = !link.follows;
    auto place = link.node >= 0 ? opened[link.node] : frame_opened[link.parent];
    link.opens = place ? 0 : 1;
    place = true;
  }
}

// Places of what one sweep leaves for the next.
void set_store(bool worlds, bool device, BatchMachine& out) {
  int next = 0, scratch = 0;
  const auto take = [&](int count) {
    const int at = next;
    next += count;
    return at;
  };
  for (std::size_t i = 1; i < out.links.size(); ++i) {
    BatchLink& link = out.links[i];
    const int columns = link.k + link.nr;
    const bool chain = out.sizes.chain != ChainForm::none, again = device && chain;  // again: computed, not kept
    const auto to_even = [&] { next += again ? next % 2 : 0; };  // there, numbers move two at a time
    to_even();
    link.motion = take(chain ? std::max(9, 6 + link.n) : 9);  // of a chain: its forces
    to_even();
    if (!again) link.R = take(9), link.r = take(3);
    if (worlds) link.world = take(12);
    if (link.varies || link.inboard >= 0) link.hinge = take(6 * link.nr);
    if (link.inboard >= 0) link.U = take(6 * link.n);
    if (link.beam >= 0) {
      link.columns = take(kBeamColumns * (device ? 7 : 8 + kBeamColumns));
      if (again) link.x = take(1), link.Z = take(6);
      if (!again) link.Z = take(6 * link.nr), link.x = take(link.nr);
      if (!link.usual) link.F = take(2 * link.n), link.b = take(link.n);
    } else {
      link.Z = take(6 * columns), link.x = take(columns);
      if (link.active) link.F = take(3 * link.n), link.b = take(link.n);
    }
    if (link.prescribed) link.joint = take(27);
    if (link.keeps || worlds) link.a = take(6);
    link.inertia = -1;
    for (int h = link.first_node; h < link.last_node; ++h) {
      BatchNode& node = out.nodes[h];
      if (!again) node.A = take(9), node.l = take(3);
      if (link.beam < 0) node.W = take(6 * link.k);
      if (link.keeps) node.frame = take(18), node.inertia = take(27);
      if (link.keeps || worlds) node.a = take(6);
      if (worlds) node.frame_pose = take(9);
    }
    const int ne = link.ne;
    scratch =
        std::max(scratch, 24 * ne + (ne + link.n) * link.n + columns * columns + 54 * columns + 20 * link.n + 128);
  }
  for (std::size_t i = 1; i < out.links.size(); ++i) {
    const BatchLink& link = out.links[i];
    if (link.node >= 0 || link.parent == 0 || link.follows) continue;
    BatchLink& parent = out.links[link.parent];
    if (parent.inertia < 0) parent.inertia = take(27);
  }
  out.sizes.store = next;
  out.sizes.scratch = scratch;
}

// What chain.hpp takes: bodies one after the other, beams of equal families or rigid, joints on the frames.
ChainForm find_chain(const BatchMachine& out, bool plain) {
  const BatchLink* beam = nullptr;
  for (std::size_t i = 1; i < out.links.size() && plain; ++i) {
    const BatchLink& link = out.links[i];
    const bool joint = link.centred || (link.form == HingeForm::fixed && link.n == 0);
    plain =
        joint && link.inboard < 0 && !link.prescribed && (link.follows || i == 1) && (link.n == 0 || link.beam >= 0);
    if (link.n == 0) continue;
    if (beam == nullptr) beam = &link;
    plain = plain && std::equal(beam->families, beam->families + 3, link.families) && link.usual == beam->usual;
  }
  if (!plain) return ChainForm::none;
  if (beam == nullptr) return ChainForm::rigid;
  if (beam->usual) return ChainForm::beams;
  const bool longer = beam->families[0] == 4 && beam->families[1] == 4 && beam->families[2] == 2;
  return longer ? ChainForm::long_beams : ChainForm::none;
}

// c_D D + c_K K of the speeds of a chain.
void set_gains(const BatchChoice& choice, int nv, BatchMachine& out) {
  std::vector<double> gains(nv, 0.0);
  for (const BatchLink& link : out.links) {
    for (int k = 0; k < link.nr; ++k) gains[link.v + k] = link.added[k];
    for (int k = 0; k < link.n; ++k)
      gains[link.vm + k] = choice.c_D * out.numbers[link.D_modes + k] + choice.c_K * out.numbers[link.K_modes + k];
  }
  out.sizes.gains = put(out.numbers, gains);
}

// Keeps those numbers of a chain alone that its kernels read: they fit into a small memory then.
void keep_chain_numbers(BatchMachine& out) {
  const std::vector<double> all = std::move(out.numbers);
  out.numbers.clear();
  std::map<int, int> moved;
  const auto move = [&](int& at, int count) {
    if (at < 0) return;
    out.numbers.resize(out.numbers.size() + out.numbers.size() % 2);  // at even places
    const auto [found, fresh] = moved.try_emplace(at, static_cast<int>(out.numbers.size()));
    if (fresh) out.numbers.insert(out.numbers.end(), all.begin() + at, all.begin() + at + count);
    at = found->second;
  };
  for (BatchLink& link : out.links) {
    if (link.n == 0) continue;
    move(link.beam, kBeamHead + (kBeamMode + link.n) * link.n);
    move(link.K_modes, link.n), move(link.D_modes, link.n);
  }
  move(out.sizes.gains, out.sizes.nv);
}

void set_loads(const Model& model, const BatchChoice& choice, BatchMachine& out) {
  const auto place = [&](NodeRef at) {
    if (at.body < 1 || at.body >= model.body_count() || at.node < kBodyFrame ||
        at.node >= static_cast<int>(model.body(at.body).nodes.size())) {
      throw InputError("batch: node " + std::to_string(at.node) + " of body " + std::to_string(at.body) +
                       " is not there; give indices of the model, kBodyFrame for a body's own frame");
    }
    if (at.node == kBodyFrame) return -1;
    return add_node(model.body(at.body), model.layout->links[at.body], at.body, at.node, out);
  };
  for (int i = 1; i < model.body_count(); ++i) {
    out.links[i].first_load = static_cast<int>(out.loads.size());
    for (std::size_t k = 0; k < choice.load_nodes.size(); ++k) {
      if (choice.load_nodes[k].body != i) continue;
      out.loads.push_back(
          {place(choice.load_nodes[k]), choice.load_frames[k] == Frame::world ? 1 : 0, static_cast<int>(6 * k)});
    }
    out.links[i].last_load = static_cast<int>(out.loads.size());
  }
  for (const NodeRef& at : choice.pose_nodes) {
    out.poses.push_back(place(at));
    out.pose_bodies.push_back(at.body);
  }
}

}  // namespace

BatchMachine::BatchMachine(const Model& model, const BatchChoice& choice) {
  refuse_sliders(model, "batch");
  const Layout& layout = *model.layout;
  for (const std::vector<int>* drives : {&layout.motors, &layout.rotors}) {
    if (!drives->empty())
      throw InputError("batch: the drive of joint '" + model.joints[drives->front()].name +
                       "' has an elastic transmission or an axis, which is not covered; take aba");
  }
  const auto count = layout.links.size();
  links.resize(count);
  std::map<const BodyConstants*, BatchLink> made;
  for (const OutboardAttachment& at : layout.attachments)
    add_node(model.body(at.body), layout.links[at.body], at.body, at.node, *this);
  for (std::size_t i = 1; i < count; ++i) {
    const Link& from = layout.links[i];
    BatchLink& link = links[i];
    const auto known = made.find(from.constants);
    if (known != made.end()) {
      link = known->second;
    } else {
      set_body(model.body(static_cast<int>(i)), *from.constants, link, *this);
      made[from.constants] = link;
    }
    set_batch_joint(from, link);
    link.parent = from.parent;
    link.node = from.attachment;
    if (from.inboard >= 0)
      link.inboard = add_node(model.body(static_cast<int>(i)), from, static_cast<int>(i), from.inboard, *this);
    link.first_node = from.attachment_begin, link.last_node = from.attachment_end;
    link.q = from.q, link.v = from.v, link.qm = from.qm, link.vm = from.vm;
    if (!choice.prescribed.empty()) link.prescribed = choice.prescribed[i] != 0 && link.nr > 0 ? 1 : 0;
    if (!choice.varied.empty()) link.parameters = choice.varied[i];
    for (int k = 0; k < link.nr; ++k) link.added[k] = choice.c_D * link.damping[k] + choice.c_K * link.stiffness[k];
    set_columns(from, choice, link, *this);
    if (!layout.ruthless && from.elimination == Elimination::active) set_beam(choice, link, *this);
  }
  set_order(*this);
  set_loads(model, choice, *this);
  const bool worlds =
      choice.worlds || std::count(choice.load_frames.begin(), choice.load_frames.end(), Frame::world) > 0;
  sizes.chain = find_chain(*this, !layout.ruthless && loads.empty());
  set_store(worlds, choice.device, *this);
  sizes.bodies = model.body_count();
  sizes.nq = model.nq, sizes.nv = model.nv;
  sizes.worlds = worlds ? 1 : 0;
  sizes.ruthless = layout.ruthless ? 1 : 0;
  sizes.loads_count = static_cast<int>(loads.size());
  sizes.c_D = choice.c_D, sizes.c_K = choice.c_K;
  for (int i = 0; i < 3; ++i) sizes.gravity[i] = model.gravity[i];
  if (sizes.chain == ChainForm::none) return;
  set_gains(choice, model.nv, *this);
  if (choice.device) keep_chain_numbers(*this);
}

BatchTables BatchMachine::tables() const {
  BatchTables out = sizes;
  out.links = links.data();
  out.nodes = nodes.data();
  out.loads = loads.data();
  out.numbers = numbers.data();
  out.indices = indices.data();
  return out;
}

}  // namespace limber
