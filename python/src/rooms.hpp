// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// What each file defines in the module.
#pragma once

#include "bind.hpp"
#include "limber/model/model.hpp"

namespace limber::python {

void define_errors(py::module_& m);
void define_bodies(py::module_& m);
void define_drives(py::module_& m);  // before the joints
void define_model(py::module_& m);
void define_machine(py::module_& m);
void add_joint_parts(py::class_<Joint>& joint);
void define_parts(py::module_& m);
void define_dynamics(py::module_& m);
void define_nodes(py::module_& m);
void define_derivatives(py::module_& m);
void define_batch(py::module_& m);
void define_linear(py::module_& m);
void define_simulation(py::module_& m);
void define_run(py::module_& m);
void define_recording(py::module_& m);
void define_control(py::module_& m);
void define_controller(py::module_& m);

}  // namespace limber::python
