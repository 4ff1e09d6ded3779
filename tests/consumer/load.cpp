// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loads the plugin named by its argument, twice; independent of limber.
#include <dlfcn.h>

#include <cstdio>

static int call(const char* path) {
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  const auto check = reinterpret_cast<int (*)()>(dlsym(plugin, "limber_plugin_check"));
  const int result = check ? check() : 1;
  return dlclose(plugin) == 0 ? result : 1;
}

int main(int argc, char** argv) { return argc == 2 && call(argv[1]) == 0 && call(argv[1]) == 0 ? 0 : 1; }
