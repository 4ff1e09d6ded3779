// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// src/files/urdf_reader.cpp as built without urdfdom: it only reports this, in one line.
#include "files/urdf_reader.hpp"
#include "limber/spatial/status.hpp"

int main() {
  try {
    limber::parse_urdf("<robot name=\"r\"/>", "robot.urdf");
  } catch (const limber::InputError& e) {
    const std::string wanted =
        "robot.urdf:1: this build reads no URDF; install liburdfdom-dev and build limber again, or write a model file";
    return e.what() == wanted ? 0 : 1;
  }
  return 2;
}
