// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/recording_reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

// The model inside a recording, with the modal-body files that are kept there.  Throws InputError as parse_model does.
Model parse_recorded_model(const RecordingReader& recording);

}  // namespace limber
