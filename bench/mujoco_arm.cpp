// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// MuJoCo's mj_forward, without contacts and constraints.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>

#include "apps/bench_peers.hpp"

namespace limber::apps {
namespace {

// A rigid piece of a link, `length` long.
std::string piece_inertia(const PeerBeam& beam, double length) {
  const double mass = beam.mass_per_length * length;
  const double polar = 2 * beam.rotary_inertia * length;
  const double across = beam.rotary_inertia * length + mass * length * length / 12;
  return fmt::format("<inertial pos='{} 0 0' mass='{}' diaginertia='{} {} {}'/>", length / 2, mass, polar, across,
                     across);
}

// One link: n pieces with joints at their midpoints, with springs of EI / (length of a piece).  The half before the
// first midpoint rotates about the arm's joint.  `inside` is attached to its tip.
std::string link_xml(const PeerBeam& beam, int n, int link, const std::string& inside) {
  const double h = beam.length / n;
  // The joint is on the tip of the last half piece of the previous link.
  std::string open = fmt::format("<body pos='{} 0 0'><joint type='hinge' axis='{}'/>{}", link == 0 ? 0 : h / 2,
                                 link % 2 == 0 ? "0 0 1" : "0 1 0", piece_inertia(beam, h / 2));
  std::string close = "</body>";
  for (int piece = 0; piece < n; ++piece) {
    open += fmt::format("<body pos='{} 0 0'>", piece == 0 ? h / 2 : h);
    for (const char* axis : {"0 0 1", "0 1 0"})
      open += fmt::format("<joint type='hinge' axis='{}' stiffness='{}' damping='0.01'/>", axis, beam.EI / h);
    open += piece_inertia(beam, piece == n - 1 ? h / 2 : h);
    close += "</body>";
  }
  return open + inside + close;
}

// The file of one link includes that of the next: MuJoCo's parser refuses deeply nested files, but not deep arms.
std::string file_name(int link) { return fmt::format("link{}.xml", link); }
std::string file_text(const PeerBeam& beam, int pieces, int link) {
  const std::string next = link + 1 < kPeerLinks ? fmt::format("<include file='{}'/>", file_name(link + 1)) : "";
  const std::string text = link_xml(beam, pieces, link, next);
  if (link > 0) return fmt::format("<mujocoinclude>{}</mujocoinclude>", text);
  return fmt::format(
      "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'>"
      "<flag contact='disable' constraint='disable' equality='disable' frictionloss='disable' limit='disable' "
      "warmstart='disable'/></option><worldbody>{}</worldbody></mujoco>",
      text);
}

mjModel* load(const PeerBeam& beam, int pieces) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  for (int link = 0; link < kPeerLinks; ++link) {
    const std::string text = file_text(beam, pieces, link);
    mj_makeEmptyFileVFS(files.get(), file_name(link).c_str(), static_cast<int>(text.size()));
    const int index = mj_findFileVFS(files.get(), file_name(link).c_str());
    if (index >= 0) std::memcpy(files->filedata[index], text.data(), text.size());
  }
  char error[1000] = "";
  mjModel* model = mj_loadXML(file_name(0).c_str(), files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(fmt::format("MuJoCo: {}", error));
  return model;
}

struct MujocoArm {
  MujocoArm(const PeerBeam& beam, int pieces)
      : model(load(beam, pieces), mj_deleteModel), data(nullptr, mj_deleteData) {
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

}  // namespace

Peer make_mujoco_arm(const PeerBeam& beam, int pieces) {
  const auto arm = std::make_shared<MujocoArm>(beam, pieces);
  return {fmt::format("MuJoCo {}", mj_versionString()), [arm] { arm->evaluate(); }};
}

}  // namespace limber::apps
