// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// One evaluation of limber's aba against one of MuJoCo's mj_forward, for the same arm of ten flexible links.  limber
// has n modes per link.  MuJoCo has no modes: there the link is cut into n pieces with two spring hinges each, about y
// and z.  Same process, in turn, the best of many; no contacts and no constraints in MuJoCo, whose Debian package is
// compiled for any x86-64 while limber uses AVX2 where this machine has it.
//   build/bench/mujoco_compare [seconds]
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "apps/chains.hpp"
#include "limber/dynamics/forward.hpp"

namespace {

using namespace limber;
using Clock = std::chrono::steady_clock;

constexpr int kLinks = 10;

// A rigid piece of a link, `length` long.
std::string piece_inertia(const BeamSpec& beam, double length) {
  const double mass = beam.mass_per_length * length;
  const double polar = (beam.rotary_inertia_y + beam.rotary_inertia_z) * length;
  const double across = beam.rotary_inertia_y * length + mass * length * length / 12;
  return fmt::format("<inertial pos='{} 0 0' mass='{}' diaginertia='{} {} {}'/>", length / 2, mass, polar, across,
                     across);
}

// One link: n pieces that bend in their middles, with springs of EI / (length of a piece).  The half before the first
// middle turns about the arm's joint.  `inside` goes on its tip.
std::string link_xml(const BeamSpec& beam, int n, int link, const std::string& inside) {
  const double h = beam.length / n;
  // The joint sits on the tip of the last half piece of the link before.
  std::string open = fmt::format("<body pos='{} 0 0'><joint type='hinge' axis='{}'/>{}", link == 0 ? 0 : h / 2,
                                 link % 2 == 0 ? "0 0 1" : "0 1 0", piece_inertia(beam, h / 2));
  std::string close = "</body>";
  for (int piece = 0; piece < n; ++piece) {
    open += fmt::format("<body pos='{} 0 0'>", piece == 0 ? h / 2 : h);
    for (const char* axis : {"0 0 1", "0 1 0"})
      open += fmt::format("<joint type='hinge' axis='{}' stiffness='{}' damping='0.01'/>", axis, beam.EIz / h);
    open += piece_inertia(beam, piece == n - 1 ? h / 2 : h);
    close += "</body>";
  }
  return open + inside + close;
}

// The file of one link includes that of the next: MuJoCo's parser refuses deep files, but not deep arms.
std::string file_name(int link) { return fmt::format("link{}.xml", link); }
std::string file_text(int pieces, int link) {
  const std::string next = link + 1 < kLinks ? fmt::format("<include file='{}'/>", file_name(link + 1)) : "";
  const std::string text = link_xml(apps::link_beam(0), pieces, link, next);
  if (link > 0) return fmt::format("<mujocoinclude>{}</mujocoinclude>", text);
  return fmt::format(
      "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'>"
      "<flag contact='disable' constraint='disable' equality='disable' frictionloss='disable' limit='disable' "
      "warmstart='disable'/></option><worldbody>{}</worldbody></mujoco>",
      text);
}

mjModel* load(int pieces) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  for (int link = 0; link < kLinks; ++link) {
    const std::string text = file_text(pieces, link);
    mj_makeEmptyFileVFS(files.get(), file_name(link).c_str(), static_cast<int>(text.size()));
    const int index = mj_findFileVFS(files.get(), file_name(link).c_str());
    if (index >= 0) std::memcpy(files->filedata[index], text.data(), text.size());
  }
  char error[1000] = "";
  mjModel* model = mj_loadXML(file_name(0).c_str(), files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) fmt::print(stderr, "MuJoCo: {}\n", error);
  return model;
}

struct MujocoArm {
  explicit MujocoArm(int pieces) : model(load(pieces), mj_deleteModel), data(nullptr, mj_deleteData) {
    if (!model) std::exit(1);
    data.reset(mj_makeData(model.get()));
    std::mt19937 random(1);
    const auto between = [&](double size) { return size * (2 * (random() / 4294967295.0) - 1); };
    for (int i = 0; i < model->nv; ++i) {
      data->qpos[i] = between(0.1);
      data->qvel[i] = between(0.1);
      data->qfrc_applied[i] = between(1);
    }
  }
  void evaluate() { mj_forward(model.get(), data.get()); }
  std::unique_ptr<mjModel, void (*)(mjModel*)> model;
  std::unique_ptr<mjData, void (*)(mjData*)> data;
};

struct LimberArm {
  explicit LimberArm(int modes, Fidelity fidelity)
      : model(apps::make_chain({apps::Topology::chain, kLinks, modes, fidelity})),
        sample(apps::make_sample(model)),
        dynamics(make_forward_dynamics(model, "aba")),
        vdot(model.nv) {}
  void evaluate() {
    if ((*dynamics)(sample.x, {sample.tau}, vdot) != Status::ok) std::abort();
  }
  Model model;
  apps::Sample sample;
  std::unique_ptr<ForwardDynamics> dynamics;
  VectorXd vdot;
};

// The better of `best` and one batch, in nanoseconds for one evaluation.
template <int kBatch, class Arm>
double better(Arm& arm, double best) {
  const auto start = Clock::now();
  for (int i = 0; i < kBatch; ++i) arm.evaluate();
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / kBatch;
  return best == 0 || ns < best ? ns : best;
}

void compare(int modes, double seconds) {
  MujocoArm mujoco(modes);
  LimberArm full(modes, Fidelity::full), ruthless(modes, Fidelity::ruthless);
  double mujoco_ns = 0, full_ns = 0, ruthless_ns = 0;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < seconds) {
    mujoco_ns = better<1>(mujoco, mujoco_ns);
    full_ns = better<10>(full, full_ns);
    ruthless_ns = better<10>(ruthless, ruthless_ns);
  }
  fmt::print("{:>2} modes or pieces per link: MuJoCo {} ({} speeds) {:>7.0f} ns; limber ({} speeds) full {:>6.0f} ns, ",
             modes, mj_versionString(), mujoco.model->nv, mujoco_ns, full.model.nv, full_ns);
  fmt::print("{:.2f} times faster; ruthless {:>6.0f} ns, {:.2f} times faster\n", mujoco_ns / full_ns, ruthless_ns,
             mujoco_ns / ruthless_ns);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  for (const int modes : {5, 10}) compare(modes, seconds);
  return 0;
}
