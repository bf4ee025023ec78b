# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# What our own programs are built with, and no user of the library sees: warnings that are errors,
# sanitizers, the macros of a build variant, a compiler cache.
#
#   boost_ext_timers_own      link it to every program of this repository

set(BOOST_EXT_TIMERS_SANITIZE "" CACHE STRING "Sanitizers for our own programs: a -fsanitize= list")
set(BOOST_EXT_TIMERS_DEFINES "" CACHE STRING "Macros for our own programs: the variant under test")

if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this slackness ccache refuses whatever uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "${CCACHE_PROGRAM}")
endif()

add_library(boost_ext_timers_own INTERFACE)
target_link_libraries(boost_ext_timers_own INTERFACE boost_ext::timers)
target_compile_options(boost_ext_timers_own INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
target_compile_definitions(boost_ext_timers_own INTERFACE ${BOOST_EXT_TIMERS_DEFINES})

if(CCACHE_PROGRAM AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(boost_ext_timers_own INTERFACE -fpch-preprocess)
elseif(CCACHE_PROGRAM AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The time stamps in clang's precompiled headers would make each of them a new one to the cache.
  target_compile_options(boost_ext_timers_own INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()

if(BOOST_EXT_TIMERS_SANITIZE)
  target_compile_options(boost_ext_timers_own INTERFACE
    -fsanitize=${BOOST_EXT_TIMERS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(boost_ext_timers_own INTERFACE -fsanitize=${BOOST_EXT_TIMERS_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented code confuses the one warning; the other is about the fences that Asio has around
    # handlers, which the sanitizer does not model and does not need.
    target_compile_options(boost_ext_timers_own INTERFACE -Wno-maybe-uninitialized -Wno-tsan)
  elseif(BOOST_EXT_TIMERS_SANITIZE MATCHES "undefined")
    # What clang's check of function types puts before a function, its coroutines cannot be split with.
    target_compile_options(boost_ext_timers_own INTERFACE -fno-sanitize=function)
  endif()
endif()
