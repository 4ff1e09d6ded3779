// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/workspace.hpp"

// Only for the file that instantiates a Workspace; its data must be a complete type there.
namespace limber {

template <typename Data>
Workspace<Data>::Workspace(const Workspace& other) : data_(new Data(*other.checked())) {}

template <typename Data>
Workspace<Data>& Workspace<Data>::operator=(const Workspace& other) {
  Workspace copy(other);
  std::swap(data_, copy.data_);
  return *this;
}

template <typename Data>
Workspace<Data>::~Workspace() {
  delete data_;
}

}  // namespace limber
