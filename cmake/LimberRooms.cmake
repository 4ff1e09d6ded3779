# SPDX-FileCopyrightText: limber contributors
# SPDX-License-Identifier: Apache-2.0
#
# limber_room(name [KERNEL | GLUE] [ALONE regex] [SWEEPS regex] [PUBLIC libs...] [PRIVATE libs...] [PACKAGES packages...]): one
# room, from src/<name>/**.cpp, linked to the room named by the call before.  A room without sources is its headers only; one
# without either is passed over.  KERNEL: -O3; GLUE: -O1, as it calls other rooms for the work; the rest: -O2.  ALONE: sources
# where the time of a run goes, each compiled by itself in release builds; the others are compiled together.  SWEEPS: sources
# where the time of tests goes, the only ones that the address sanitizer optimises (limber_<name>_sweeps).  PACKAGES: what
# find_dependency must find for these libs, with its arguments.
#
# limber_libraries(): after the last room, the targets that others link: limber::<room>, and limber::limber for all of them.
# Objects are compiled once, position-independent: the static archives limber_<room> and the one shared library
# limber_shared (liblimber.so) are made of the same ones, and BUILD_SHARED_LIBS chooses.  docs/decisions/0014-package.md
include_guard()
set(LIMBER_ROOMS "") # those there are, in order

# Sources that no test of threads uses: the thread sanitizer does without them, and the linker tells when that is wrong.  What
# needs more, as the program does, is not built for it.
string(CONCAT limber_without_threads
       "/spatial/solvers_(exponential|factors)|/body/(consistent|integrals|part|part_[a-z]+|plate|reduction|surface)[.]cpp"
       "|/dynamics/(elements|gpu|statics)/|/dynamics/(check|closures/closure_stiffness|derivatives/closed_derivatives"
       "|batch/halves_plain)[.]cpp")

# Eigen takes its registers, and with them how it allocates, from these: docs/decisions/0012-eigen-alignment.md.
set(limber_eigen_flags -U__AVX__ -U__AVX2__ -U__FMA__ -U__AVX512F__ -U__AVX512DQ__ -U__AVX512ER__ -U__AVX512BF16__)

# What every user of a room's headers needs.
function(limber_usage target scope)
  target_compile_features(${target} ${scope} cxx_std_20)
  target_compile_options(${target} ${scope} $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:${limber_eigen_flags}>)
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# limber_room_options(target optimisation libs...): flags of what a room is made of.
function(limber_room_options target optimisation)
  limber_options(${target})
  target_link_libraries(${target} PRIVATE ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${optimisation}>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU) # our functions are not replaced from outside: inline as in a program
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  if(LIMBER_UNITY)
    limber_unity(${target} 60)
  else()
    limber_precompile(${target} <Eigen/Dense>)
  endif()
endfunction()

function(limber_room name)
  cmake_parse_arguments(arg "KERNEL;GLUE" "ALONE;SWEEPS" "PUBLIC;PRIVATE;PACKAGES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/limber/${name}/*.hpp)
  if(NOT sources AND NOT headers)
    return()
  endif()
  if(LIMBER_SANITIZE MATCHES thread)
    list(FILTER sources EXCLUDE REGEX "${limber_without_threads}")
  endif()

  set(target limber_${name})
  set(optimisation -O2)
  if(arg_KERNEL)
    set(optimisation "") # that of the build type
  elseif(arg_GLUE)
    set(optimisation -O1)
  endif()
  if(sources)
    set(scope PUBLIC)
    if(arg_SWEEPS AND LIMBER_SANITIZE MATCHES address AND NOT LIMBER_FUZZ)
      set(sweeps ${sources})
      list(FILTER sweeps INCLUDE REGEX "${arg_SWEEPS}")
      list(FILTER sources EXCLUDE REGEX "${arg_SWEEPS}")
      add_library(${target}_sweeps OBJECT ${sweeps})
      limber_room_options(${target}_sweeps "${optimisation}" ${arg_PUBLIC} ${arg_PRIVATE})
      limber_usage(${target}_sweeps PRIVATE)
      list(APPEND headers $<TARGET_OBJECTS:${target}_sweeps>)
    endif()
    add_library(${target} STATIC ${sources} ${headers})
    limber_room_options(${target} "${optimisation}" ${arg_PRIVATE})
    limber_plain_when_sanitized(${target})
    if(LIMBER_UNITY AND LIMBER_SANITIZE AND NOT LIMBER_FUZZ AND sources) # all of them with the same flags
      limber_precompile(${target} <Eigen/Dense>)
    endif()
    if(LIMBER_UNITY AND arg_ALONE AND CMAKE_BUILD_TYPE STREQUAL Release)
      list(FILTER sources EXCLUDE REGEX "${arg_ALONE}")
      set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${name})
      set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
      limber_precompile(${target} <Eigen/Dense>)
    endif()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  limber_usage(${target} ${scope})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(LIMBER_ROOMS)
    list(GET LIMBER_ROOMS -1 above)
    target_link_libraries(${target} ${scope} limber_${above})
    if(TARGET ${target}_sweeps)
      target_link_libraries(${target}_sweeps PRIVATE limber_${above})
    endif()
  endif()
  target_link_libraries(${target} ${scope} ${arg_PUBLIC})
  set(LIMBER_ROOMS ${LIMBER_ROOMS} ${name} PARENT_SCOPE)
  set(LIMBER_PACKAGES_${name} "${arg_PACKAGES}" PARENT_SCOPE)
  set_property(GLOBAL APPEND PROPERTY LIMBER_PUBLIC ${arg_PUBLIC})
  set_property(GLOBAL APPEND PROPERTY LIMBER_PRIVATE ${arg_PRIVATE})
endfunction()

# limber_link_privately(room libs...): more libraries for a room; their packages go to LIMBER_PACKAGES_<room>.
function(limber_link_privately name)
  target_link_libraries(limber_${name} PRIVATE ${ARGN})
  set_property(GLOBAL APPEND PROPERTY LIMBER_PRIVATE ${ARGN})
endfunction()

function(limber_libraries)
  list(GET LIMBER_ROOMS -1 last)
  add_library(limber_static INTERFACE)
  set_target_properties(limber_static PROPERTIES EXPORT_NAME limber)
  target_link_libraries(limber_static INTERFACE limber_${last})

  add_library(limber_shared SHARED)
  limber_usage(limber_shared PUBLIC)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/limber.map)
  target_link_options(limber_shared PRIVATE ${limber_link_flags} -Wl,--version-script=${exports})
  set_target_properties(limber_shared PROPERTIES EXPORT_NAME limber OUTPUT_NAME limber LINKER_LANGUAGE CXX LINK_DEPENDS ${exports}
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  get_property(public GLOBAL PROPERTY LIMBER_PUBLIC)
  get_property(private GLOBAL PROPERTY LIMBER_PRIVATE)
  target_link_libraries(limber_shared PUBLIC ${public} PRIVATE ${private})
  foreach(room IN LISTS LIMBER_ROOMS)
    get_target_property(type limber_${room} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      target_sources(limber_shared PRIVATE $<TARGET_OBJECTS:limber_${room}>)
    endif()
    add_library(limber_shared_${room} INTERFACE) # everything is in the one library
    set_target_properties(limber_shared_${room} PROPERTIES EXPORT_NAME ${room})
    target_link_libraries(limber_shared_${room} INTERFACE limber_shared)
    if(BUILD_SHARED_LIBS)
      add_library(limber::${room} ALIAS limber_shared_${room})
    else()
      add_library(limber::${room} ALIAS limber_${room})
    endif()
  endforeach()
  if(BUILD_SHARED_LIBS)
    add_library(limber::limber ALIAS limber_shared)
  else()
    add_library(limber::limber ALIAS limber_static)
    if(NOT LIMBER_TESTS) # they use both
      set_target_properties(limber_shared PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endif()
endfunction()

# limber_rooms_first(target last): the objects of the rooms up to `last` (of all, where that is none of them) stand before the
# target's own, and for the address sanitizer optimised ones before the others.  Of inline functions in both the linker takes
# the first, which is that of the library, or an optimised one, then.
function(limber_rooms_first target last)
  if(BUILD_SHARED_LIBS OR LIMBER_FUZZ OR LIMBER_SANITIZE MATCHES thread)
    return()
  endif()
  set(sweeps "")
  set(rest "")
  foreach(room IN LISTS LIMBER_ROOMS)
    if(TARGET limber_${room}_sweeps)
      list(APPEND sweeps $<TARGET_OBJECTS:limber_${room}_sweeps>)
    endif()
    get_target_property(type limber_${room} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND rest $<TARGET_OBJECTS:limber_${room}>)
    endif()
    if(room STREQUAL last)
      break()
    endif()
  endforeach()
  target_sources(${target} PRIVATE ${sweeps} ${rest})
endfunction()

# Public compile definitions of every room.
function(limber_definitions)
  target_compile_definitions(limber_spatial PUBLIC ${ARGN})
  if(TARGET limber_spatial_sweeps)
    target_compile_definitions(limber_spatial_sweeps PRIVATE ${ARGN})
  endif()
  target_compile_definitions(limber_shared PUBLIC ${ARGN})
endfunction()
