# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Builds and runs the consumer from nothing, in a copy that has the library where the documentation says: in third_party/timers.
# MODE is installed, subdirectory, fetched, b2 or copied.

file(REMOVE_RECURSE "${WORK}")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/" DESTINATION "${WORK}")
file(MAKE_DIRECTORY "${WORK}/third_party")
file(CREATE_LINK "${LIBRARY_SOURCE}" "${WORK}/third_party/timers" SYMBOLIC)

if(MODE STREQUAL "copied")
  execute_process(COMMAND sh by_hand.sh copy WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${WORK}/my_server" COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

if(MODE STREQUAL "b2")
  find_program(B2 b2)
  if(NOT B2)
    message("b2 is not installed: not tried")
    return()
  endif()
  execute_process(COMMAND "${B2}" -d0 cxxstd=17 WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${WORK}/my_server" COMMAND_ERROR_IS_FATAL ANY)
  # A project that has found its Boost by itself.
  file(READ "${WORK}/Jamroot" jamroot)
  file(WRITE "${WORK}/Jamroot" "import boost ;\nboost.use-project ;\n${jamroot}")
  execute_process(COMMAND "${B2}" -d0 -n -a cxxstd=17 WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

set(arguments
  -D WAY=${MODE}
  -D CMAKE_CXX_COMPILER=${COMPILER}
  -D CMAKE_BUILD_TYPE=Debug
  -D CMAKE_CXX_STANDARD=17)
if(BOOST_DIR)
  list(APPEND arguments -D Boost_DIR=${BOOST_DIR})
endif()
if(MODE STREQUAL "installed")
  if(BOOST_DIR)
    set(ENV{Boost_DIR} "${BOOST_DIR}")
  endif()
  execute_process(COMMAND sh by_hand.sh install WORKING_DIRECTORY "${WORK}" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND arguments -D CMAKE_PREFIX_PATH=${WORK}/prefix)
endif()

execute_process(
  COMMAND "${CMAKE_COMMAND}" -S "${WORK}" -B "${WORK}/build-${MODE}" ${arguments}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build-${MODE}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${WORK}/build-${MODE}/my_server" COMMAND_ERROR_IS_FATAL ANY)
