// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/report/report.hpp"

namespace limber::apps {

// The recording's name with another extension; for several, their names joined by "+".
std::string page_beside(const std::vector<std::string>& recordings);
// Writes the page of a recording, or of several overlaid, with a progress bar if it takes long.
ReportFacts make_report(const std::vector<std::string>& recordings, const std::string& page, bool quiet);
// "out.html, 1.4 MB; 600001 records plotted by 3000, extremes kept".
std::string page_text(const std::string& page, const ReportFacts& facts);
// Opens a page in the user's browser; throws InputError when there is none.
void open_page(const std::string& page);

}  // namespace limber::apps
