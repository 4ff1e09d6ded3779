// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/recording_reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

// The model stored in a recording, with its modal-body files.  Throws InputError as parse_model does.
Model parse_recorded_model(const RecordingReader& recording);

}  // namespace limber
