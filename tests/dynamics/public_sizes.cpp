// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Compiled once per -march; LIMBER_SIZES names the table.
#include "dynamics/public_sizes.hpp"

#include "limber/dynamics/closed_inverse.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/study/book.hpp"
#include "limber/dynamics/study/denoc.hpp"
#include "limber/dynamics/study/operators.hpp"
#include "limber/dynamics/study/two_stage.hpp"

namespace limber::test {

#define LIMBER_SIZE(T) \
  PublicSize { #T, sizeof(T), alignof(T) }

const PublicSize LIMBER_SIZES[] = {
    LIMBER_SIZE(Vector3d),
    LIMBER_SIZE(Vector6),
    LIMBER_SIZE(VectorXd),
    LIMBER_SIZE(Matrix3d),
    LIMBER_SIZE(Matrix6),
    LIMBER_SIZE(MatrixXd),
    LIMBER_SIZE(Matrix3Xd),
    LIMBER_SIZE(Matrix6X),
    LIMBER_SIZE(Eigen::Vector4d),
    LIMBER_SIZE(Eigen::Matrix4d),
    LIMBER_SIZE(Eigen::Quaterniond),
    LIMBER_SIZE(Pose),
    LIMBER_SIZE(Node),
    LIMBER_SIZE(Body),
    LIMBER_SIZE(NodeRef),
    LIMBER_SIZE(Joint),
    LIMBER_SIZE(Closure),
    LIMBER_SIZE(Model),
    LIMBER_SIZE(State),
    LIMBER_SIZE(NodeWrench),
    LIMBER_SIZE(Forces),
    LIMBER_SIZE(Energy),
    LIMBER_SIZE(Momentum),
    LIMBER_SIZE(DcaOptions),
    LIMBER_SIZE(SpatialOperators),
    LIMBER_SIZE(KinematicsWorkspace),
    LIMBER_SIZE(SweepWorkspace),
    LIMBER_SIZE(RneaWorkspace),
    LIMBER_SIZE(CrbaWorkspace),
    LIMBER_SIZE(AbaWorkspace),
    LIMBER_SIZE(OperationalWorkspace),
    LIMBER_SIZE(ClosureWorkspace),
    LIMBER_SIZE(ClosedInverseWorkspace),
    LIMBER_SIZE(DcaWorkspace),
    LIMBER_SIZE(DerivativesWorkspace),
    LIMBER_SIZE(BookWorkspace),
    LIMBER_SIZE(DenocWorkspace),
    LIMBER_SIZE(TwoStageWorkspace),
    LIMBER_SIZE(OperatorsWorkspace),
    {nullptr, 0, 0},
};

}  // namespace limber::test
