// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "limber/model/model.hpp"

namespace limber::model_impl {

// Throws InputError("joint 'elbow': what").
[[noreturn]] void refuse(const std::string& item, const std::string& name, const std::string& what);

// Applies the naming rule of files to models built in code.
void check_item_name(const std::string& item, const std::string& name);
// `stiffened` requires second-order shapes; the other orders exclude them.
void check_order(const std::string& item, const std::string& name, Fidelity fidelity, const Body& body);
void check_node(const Model& model, const std::string& item, const std::string& name, NodeRef at);
void check_limit(const Joint& joint, double value, const char* what);
// Completes the slider joint of body i: its parent, and by default joint limits at the ends of the beam.
void finish_slider(const Model& model, int i, Joint& joint);
// Name, kind and axes, which are normalised; nodes are not checked.
void check_closure(Closure& closure);

// Normalises the axes that the kind of a Joint or a Closure has.
template <class Connection>
void set_unit_axes(Connection& of, const char* item);

// "world", "fore" or "fore.tip" among the bodies of these names; at(k) gives the index and the data of the k-th.
NodeRef find_node(const std::string& path, const std::vector<std::string>& names, const std::string& prefix,
                  const std::function<std::pair<int, const Body*>(std::size_t)>& at);

}  // namespace limber::model_impl
