// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The headers that most programs need: models from files or from code, and written; dynamics, batches, simulations,
// runs, linearisation, pages.  docs/library.md names the header of everything else.
#pragma once

#include "limber/body/body.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/batch.hpp"
#include "limber/dynamics/closed_derivatives.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/model_writer.hpp"
#include "limber/files/recording_reader.hpp"
#include "limber/files/state_file.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/linear/linearize.hpp"
#include "limber/model/model.hpp"
#include "limber/report/report.hpp"
#include "limber/report/run.hpp"
#include "limber/scenario/run.hpp"
#include "limber/scenario/simulation.hpp"
