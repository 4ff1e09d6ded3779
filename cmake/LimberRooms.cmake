# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber_room(name [PUBLIC libs...] [PRIVATE libs...]): the library of one room, from src/<name>/**.cpp, linked to the
# room named by the call before.  A room without sources is its headers only; one without either is passed over.
include_guard()
set(LIMBER_ROOMS "") # those there are, in order

function(limber_room name)
  cmake_parse_arguments(arg "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/limber/${name}/*.hpp)
  if(NOT sources AND NOT headers)
    return()
  endif()

  set(target limber_${name})
  if(sources)
    set(public PUBLIC)
    add_library(${target} ${sources} ${headers})
    limber_options(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
    limber_precompile(${target} <Eigen/Dense>)
  else()
    set(public INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(limber::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${public} cxx_std_20)
  # GCC's note that 32-byte vectors are passed otherwise with and without AVX; none of ours crosses a call.
  target_compile_options(${target} ${public} $<$<CXX_COMPILER_ID:GNU,Clang>:-Wno-psabi>)
  target_include_directories(${target} ${public} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(LIMBER_ROOMS)
    list(GET LIMBER_ROOMS -1 above)
    target_link_libraries(${target} ${public} limber_${above})
  endif()
  target_link_libraries(${target} ${public} ${arg_PUBLIC})
  set(LIMBER_ROOMS ${LIMBER_ROOMS} ${name} PARENT_SCOPE)
endfunction()

# Public compile definitions of a room.
function(limber_definitions name)
  get_target_property(type limber_${name} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    target_compile_definitions(limber_${name} INTERFACE ${ARGN})
  else()
    target_compile_definitions(limber_${name} PUBLIC ${ARGN})
  endif()
endfunction()
