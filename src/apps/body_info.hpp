// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/modal_body_file.hpp"

namespace limber::apps {

// All facts about a modal-body file, as text or JSON.
std::string body_info_text(const ModalBodyFile& file, bool all);
std::string body_info_json(const ModalBodyFile& file);
// A model of the body alone: its frame fixed, or floating.
std::string body_model_text(const std::string& path);

}  // namespace limber::apps
