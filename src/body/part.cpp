// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/part.hpp"

namespace limber {
namespace {

// Marks a PartSpec, as distinct from a plain ModalSpec.
struct PartDeleter {
  void operator()(const PartSpec* part) const { delete part; }
};

}  // namespace

std::shared_ptr<const ModalSpec> share_part(PartSpec part) {
  return std::shared_ptr<const PartSpec>(new PartSpec(std::move(part)), PartDeleter());
}

const PartSpec* part_of(const Body& body) {
  const bool is_part = body.modal && std::get_deleter<PartDeleter>(body.modal) != nullptr;
  return is_part ? static_cast<const PartSpec*>(body.modal.get()) : nullptr;
}

}  // namespace limber
