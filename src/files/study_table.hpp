// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/hdf5.hpp"
#include "limber/files/study_table.hpp"

namespace limber {

// The table as HDF5 gives it; used in a Worker only: files come from anywhere.  Errors without the name of the file.
StudyData load_study_table(const std::string& path);

// Text of so many bytes at most, as type of a dataset.
h5::Id study_text_type(std::size_t bytes);

}  // namespace limber
