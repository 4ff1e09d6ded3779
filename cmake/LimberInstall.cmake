# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` copies: program, headers, the library that BUILD_SHARED_LIBS chose, limberConfig.cmake and
# limber.pc.  The other library is installed when asked for: cmake --install build --component limber_shared.
include_guard()
include(CMakePackageConfigHelpers)

set(limber_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
set(limber_static_default "")
set(limber_shared_default EXCLUDE_FROM_ALL)
if(BUILD_SHARED_LIBS)
  set(limber_static_default EXCLUDE_FROM_ALL)
  set(limber_shared_default "")
endif()

# limber_install_targets(kind name targets...): libraries and their part of the package file, in the component of the kind.
function(limber_install_targets kind name)
  set(component limber_${kind})
  set(rule COMPONENT ${component} ${limber_${kind}_default})
  install(TARGETS ${ARGN} EXPORT ${component}_${name} ARCHIVE ${rule} LIBRARY ${rule} NAMELINK_COMPONENT ${component}
          RUNTIME ${rule})
  install(EXPORT ${component}_${name} NAMESPACE limber:: DESTINATION ${limber_package_dir} FILE ${kind}-${name}.cmake
          ${rule})
endfunction()

# The flags of limber.pc: what is in a package of its own by its name, the rest by its file.
function(limber_install_pkgconfig kind)
  set(packages "eigen3 >= 3.4")
  set(libraries -llimber)
  if(kind STREQUAL static) # no other library carries what these need
    string(APPEND packages ", tbb, yaml-cpp, fmt, zlib, nlopt")
    if(LIBLZMA_FOUND)
      string(APPEND packages ", liblzma")
    endif()
    if(TARGET OpenSSL::Crypto)
      string(APPEND packages ", libcrypto")
    endif()
    set(libraries ${LIMBER_ROOMS})
    list(REVERSE libraries)
    list(TRANSFORM libraries PREPEND -llimber_)
    set(hdf5 ${HDF5_C_LIBRARIES})
    list(FILTER hdf5 INCLUDE REGEX hdf5) # the others are what it needs itself
    list(TRANSFORM LIMBER_URDF_LIBRARIES PREPEND -l OUTPUT_VARIABLE urdf)
    list(APPEND libraries ${LIMBER_CVODE_FILES} ${hdf5} ${urdf} -pthread)
  endif()
  list(JOIN libraries " " libraries)
  file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/limber.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${kind}/limber.pc.in @ONLY)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${kind}/limber.pc
       INPUT ${CMAKE_CURRENT_BINARY_DIR}/${kind}/limber.pc.in)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${kind}/limber.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT limber_${kind} ${limber_${kind}_default})
endfunction()

foreach(room IN LISTS LIMBER_ROOMS)
  limber_install_targets(static ${room} limber_${room})
  list(APPEND shared_rooms limber_shared_${room})
  string(APPEND limber_packages "set(limber_packages_${room} \"${LIMBER_PACKAGES_${room}}\")\n")
endforeach()
limber_install_targets(static limber limber_static)
limber_install_targets(shared limber limber_shared ${shared_rooms})
limber_install_pkgconfig(static)
limber_install_pkgconfig(shared)

if(TARGET limber)
  file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(limber PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  install(TARGETS limber COMPONENT limber_program)
  if(TARGET limber-mpi)
    set_target_properties(limber-mpi PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
    install(TARGETS limber-mpi COMPONENT limber_program)
  endif()
endif()
install(DIRECTORY include/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT limber_headers
        FILES_MATCHING PATTERN *.hpp)
configure_package_config_file(cmake/limberConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/limberConfig.cmake
                              INSTALL_DESTINATION ${limber_package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limberConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/limberConfigVersion.cmake
        DESTINATION ${limber_package_dir} COMPONENT limber_headers)
