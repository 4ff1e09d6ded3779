// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/modal_body_file.hpp"

namespace limber::apps {

// The two ways to show all about a modal-body file.
std::string body_info_text(const ModalBodyFile& file, bool all);
std::string body_info_json(const ModalBodyFile& file);
// A model of the body alone on a fixed joint: on its frame, or floating free.
std::string body_model_text(const std::string& path);

}  // namespace limber::apps
