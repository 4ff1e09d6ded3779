# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# Headers, libraries and limberConfig.cmake: find_package(limber), then link limber::dynamics or another room.
include_guard()
include(CMakePackageConfigHelpers)

set(limber_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
set(limber_targets ${LIMBER_ROOMS})
list(TRANSFORM limber_targets PREPEND limber_)

install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)
install(TARGETS ${limber_targets} EXPORT limberTargets)
install(EXPORT limberTargets NAMESPACE limber:: DESTINATION ${limber_package_dir})

configure_package_config_file(cmake/limberConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/limberConfig.cmake
                              INSTALL_DESTINATION ${limber_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limberConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/limberConfigVersion.cmake
        DESTINATION ${limber_package_dir})
