#!/usr/bin/env python3
# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Inverse dynamics of a URDF by itself: reads the XML with Python's own parser, and sums over the links, as Lagrange's
# equations in the form of Kane: tau_j = sum_i J_v,i^T m (a_i - g) + J_w,i^T (I alpha_i + w_i x I w_i), with velocities
# and accelerations of the centres of mass by the chain rule.  No spatial algebra, no recursion over forces: nothing in
# common with the library.  Prints the numbers of tests/files/urdf_test.cpp.
#   tests/files/urdf_rnea.py examples/industrial-arm/robot.urdf
import sys
import xml.etree.ElementTree as xml

import numpy as np


def rpy(r, p, y):
    cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def origin(element):
    o = element.find("origin") if element is not None else None
    get = lambda key: np.array([float(x) for x in o.get(key, "0 0 0").split()]) if o is not None else np.zeros(3)
    return get("xyz"), rpy(*get("rpy"))


def turn(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def inverse_dynamics(path, q, v, a, gravity=(0, 0, -9.81)):
    robot = xml.parse(path).getroot()
    joints = robot.findall("joint")
    links = {link.get("name"): link for link in robot.findall("link")}
    names = [j.get("name") for j in joints if j.get("type") in ("revolute", "continuous", "prismatic")]
    children = {j.find("child").get("link") for j in joints}
    root = next(name for name in links if name not in children)
    # pose p, R; velocity and acceleration of the frame; Jacobians (3 x n)
    n = len(names)
    state = {root: (np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros((3, n)),
                    np.zeros((3, n)))}
    waiting = list(joints)
    while waiting:
        joint = next(j for j in waiting if j.find("parent").get("link") in state)
        waiting.remove(joint)
        p, R, vel, acc, w, alpha, Jv, Jw = state[joint.find("parent").get("link")]
        d, Ro = origin(joint)
        d = R @ d
        p, vel, acc = p + d, vel + np.cross(w, d), acc + np.cross(alpha, d) + np.cross(w, np.cross(w, d))
        Jv = Jv + np.cross(Jw.T, d).T
        R = R @ Ro
        if joint.get("name") in names:
            k = names.index(joint.get("name"))
            axis = np.array([float(x) for x in joint.find("axis").get("xyz").split()]) if joint.find("axis") is not None \
                else np.array([1.0, 0, 0])
            axis = axis / np.linalg.norm(axis)
            z = R @ axis
            Jv, Jw = Jv.copy(), Jw.copy()
            if joint.get("type") == "prismatic":
                d = z * q[k]
                p = p + d
                vel, acc = (vel + np.cross(w, d) + z * v[k],
                            acc + np.cross(alpha, d) + np.cross(w, np.cross(w, d)) + 2 * np.cross(w, z * v[k]) + z * a[k])
                Jv = Jv + np.cross(Jw.T, d).T
                Jv[:, k] += z
            else:
                alpha = alpha + z * a[k] + np.cross(w, z * v[k])
                w = w + z * v[k]
                Jw[:, k] += z
                R = R @ turn(axis, q[k])
        state[joint.find("child").get("link")] = (p, R, vel, acc, w, alpha, Jv, Jw)
    tau = np.zeros(n)
    for name, (p, R, vel, acc, w, alpha, Jv, Jw) in state.items():
        inertial = links[name].find("inertial")
        if inertial is None:
            continue
        m = float(inertial.find("mass").get("value"))
        c, Ri = origin(inertial)
        i = {key: float(x) for key, x in inertial.find("inertia").attrib.items()}
        inertia = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
        world = R @ Ri @ inertia @ Ri.T @ R.T
        c = R @ c
        acc_c = acc + np.cross(alpha, c) + np.cross(w, np.cross(w, c)) - np.array(gravity)
        Jc = Jv + np.cross(Jw.T, c).T
        tau += Jc.T @ (m * acc_c) + Jw.T @ (world @ alpha + np.cross(w, world @ w))
    for k, joint in enumerate(j for j in joints if j.get("name") in names):
        dynamics = joint.find("dynamics")
        if dynamics is not None:
            tau[k] += float(dynamics.get("damping", 0)) * v[k]
    return names, tau


if __name__ == "__main__":
    count = len(inverse_dynamics(sys.argv[1], [0] * 99, [0] * 99, [0] * 99)[0])
    q = [0.3 - 0.2 * k for k in range(count)]
    v = [0.5 * (-1)**k + 0.1 * k for k in range(count)]
    a = [1 - 0.7 * k for k in range(count)]
    names, tau = inverse_dynamics(sys.argv[1], q, v, a)
    print(names)
    print(", ".join(repr(float(x)) for x in tau))
