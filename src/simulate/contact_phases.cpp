// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "contact_phases.hpp"

#include <algorithm>

#include "limber/simulate/detail/element_forces.hpp"
#include "simulate/backlash.hpp"
#include "simulate/friction_forces.hpp"

namespace limber {
namespace {

bool pushes(const StopContact& stop) { return stop.phase == StopContact::Phase::pushing; }
bool sticks(const FrictionContact& contact) {
  return !contact.prescribed && contact.phase == FrictionContact::Phase::stick;
}

}  // namespace

bool holds(const System& system) {
  if (std::any_of(system.stops().begin(), system.stops().end(), pushes)) return true;
  if (const BacklashForces* backlash = system.backlash()) {
    for (const Backlash& gap : backlash->gaps)
      if (!gap.open()) return true;
  }
  if (const FrictionForces* friction = system.friction()) {
    if (std::any_of(friction->contacts.begin(), friction->contacts.end(), sticks)) return true;
  }
  const ElementForces* forces = system.element_forces();
  return forces != nullptr && forces->loads.event_count() > 0 && forces->holds();
}

}  // namespace limber
