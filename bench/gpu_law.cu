// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A law on the device: the function called by GpuBatch::rollout before each step may launch kernels like this one.
namespace limber {
namespace {

__global__ void law(const double* q, const double* v, double* tau, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) tau[i] = -20 * q[i] - 5 * v[i];
}

}  // namespace

void apply_law(const double* q, const double* v, double* tau, int count) {
  law<<<(count + 255) / 256, 256>>>(q, v, tau, count);
}

}  // namespace limber
