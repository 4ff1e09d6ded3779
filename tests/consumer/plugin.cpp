// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// limber inside a shared object that a program loads, as Python, MATLAB or an FMU importer does.
#include "arm.hpp"

extern "C" int limber_plugin_check() { return check_arm() ? 0 : 1; }
