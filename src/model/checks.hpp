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

// The rule for names in files holds in code, too.
void check_item_name(const std::string& item, const std::string& name);
// `stiffened` needs second-order shapes, the others must not have them.
void check_order(const std::string& item, const std::string& name, Fidelity fidelity, const Body& body);
void check_node(const Model& model, const std::string& item, const std::string& name, NodeRef at);
void check_limit(const Joint& joint, double value, const char* what);
// The joint of body i is a slider: its parent; stops at the ends of the beam where it has none.
void finish_slider(const Model& model, int i, Joint& joint);
// Name, kind and axes, which become unit vectors; not its nodes.
void check_closure(Closure& closure);

// Unit axes of a Joint or a Closure, as many as its kind has.
template <class Connection>
void set_unit_axes(Connection& of, const char* item);

// "world", "fore" or "fore.tip" among the bodies of these names; at(k) gives the number and the data of the k-th.
NodeRef find_node(const std::string& path, const std::vector<std::string>& names, const std::string& prefix,
                  const std::function<std::pair<int, const Body*>(std::size_t)>& at);

}  // namespace limber::model_impl
