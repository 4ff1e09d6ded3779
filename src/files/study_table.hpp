// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/hdf5.hpp"
#include "limber/files/study_table.hpp"

namespace limber {

// Reads the table by HDF5; used in a Worker only, since files are untrusted.  Errors are without the name of the file.
StudyData load_study_table(const std::string& path);

// Fixed-length text type of a dataset.
h5::Id study_text_type(std::size_t bytes);

}  // namespace limber
