# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
"""iLQR swings a flexible arm up, with exact derivatives of the whole trajectory in four batches per iteration."""
import limber
import numpy as np

model = limber.parse_model({
    "limber": 1, "name": "pendulum", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "arm", "beam": {"length": 1, "mass": 1, "EIy": 6, "EIz": 6, "modes": {"bending_z": 1}, "damping": 0.02}}],
    "joints": [{"name": "motor", "type": "revolute", "axis": [0, -1, 0], "parent": "world", "child": "arm", "damping": 0.02,
                "origin": {"xyz": [0, 0, 0], "rpy": [0, np.pi / 2, 0]}}]})  # at q = 0 it hangs
n, N, h = 2 * model.nv, 120, 0.02
goal = np.array([np.pi, 0, 0, 0])
Q, R, Qf = np.diag([0.02, 0, 0.002, 0]), 0.02, np.diag([400.0, 100, 40, 1])
work, eye = model.workspace(), np.eye(n)


def rate(x, u):
    return np.concatenate([x[model.nv:], limber.aba(model, x[:model.nv], x[model.nv:], [u, 0], workspace=work)])


def step(x, u):
    k1 = rate(x, u)
    k2 = rate(x + h / 2 * k1, u)
    k3 = rate(x + h / 2 * k2, u)
    k4 = rate(x + h * k3, u)
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def derivatives(x, u):
    """d step/dx, d step/du for all times: the chain rule through the stages of rk4."""
    tau = np.stack([u, 0 * u], axis=1)
    k, dkx, dku = np.zeros_like(x), np.zeros((N, n, n)), np.zeros((N, n, 1))
    sum_x, sum_u = np.zeros((N, n, n)), np.zeros((N, n, 1))
    for lead, weight in ((0, 1), (h / 2, 2), (h / 2, 2), (h, 1)):
        y = x + lead * k
        q, v = y[:, :model.nv], y[:, model.nv:]
        dq, dv, dtau = limber.forward_derivatives(model, q, v, tau)
        A = np.concatenate([np.tile(eye[model.nv:], (N, 1, 1)), np.concatenate([dq, dv], axis=2)], axis=1)
        B = np.concatenate([np.zeros((N, model.nv, 1)), dtau[:, :, :1]], axis=1)
        k = np.concatenate([v, limber.aba(model, q, v, tau)], axis=1)
        dkx, dku = A @ (eye + lead * dkx), A @ (lead * dku) + B
        sum_x, sum_u = sum_x + weight * dkx, sum_u + weight * dku
    return eye + h / 6 * sum_x, h / 6 * sum_u


def cost(x, u):
    e = x - goal
    return np.sum((e[:-1] @ Q) * e[:-1]) / 2 + R / 2 * u @ u + e[-1] @ Qf @ e[-1] / 2


u, x = 0.5 * np.sin(np.arange(N) * h * 3), np.zeros((N + 1, n))
for k in range(N):
    x[k + 1] = step(x[k], u[k])
best, damping = cost(x, u), 1.0
for iteration in range(150):
    A, B = derivatives(x[:-1], u)
    s, S, gains = Qf @ (x[-1] - goal), Qf, []
    for k in reversed(range(N)):
        Qu, Quu, Qux = R * u[k] + B[k].T @ s, R + B[k].T @ S @ B[k] + damping, B[k].T @ S @ A[k]
        gains.append((-Qu / Quu[0, 0], -Qux / Quu[0, 0]))
        s, S = Q @ (x[k] - goal) + A[k].T @ s - Qux.T @ Qu / Quu[0, 0], Q + A[k].T @ S @ A[k] - Qux.T @ Qux / Quu[0, 0]
    for alpha in 0.5 ** np.arange(8):
        y, w = x.copy(), u.copy()
        for k, (open_, closed) in enumerate(reversed(gains)):
            w[k] = np.clip(u[k] + (alpha * open_ + closed @ (y[k] - x[k]))[0], -20, 20)
            y[k + 1] = step(y[k], w[k])
        if cost(y, w) < best:
            break
    if cost(y, w) >= best:
        damping *= 4
        continue
    done, x, u, best, damping = best - cost(y, w) < 1e-4 * best, y, w, cost(y, w), damping / 2
    if done:
        break
print(f"{iteration + 1} iterations: ends at {x[-1, 0]:.3f} rad, bending {x[-1, 1]:.4f}, largest torque {np.abs(u).max():.2f} N m")
assert abs(x[-1, 0] - np.pi) < 0.1
