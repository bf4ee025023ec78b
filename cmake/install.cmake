# Copyright (c) 2026 The boost_ext authors
# Distributed under the Boost Software License, Version 1.0.
# (See accompanying file LICENSE_1_0.txt or copy at https://www.boost.org/LICENSE_1_0.txt)

# Installs the headers and a package that find_package(boost_ext_timers) finds.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/boost_ext_timers")
set(package_files "${PROJECT_BINARY_DIR}/package")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/boost_ext"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp")
install(TARGETS boost_ext_timers EXPORT boost_ext_timers-targets
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT boost_ext_timers-targets NAMESPACE boost_ext:: DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/boost_ext_timers-config.cmake.in"
  "${package_files}/boost_ext_timers-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${package_files}/boost_ext_timers-config-version.cmake"
  COMPATIBILITY SameMinorVersion
  ARCH_INDEPENDENT)
install(FILES
  "${package_files}/boost_ext_timers-config.cmake"
  "${package_files}/boost_ext_timers-config-version.cmake"
  DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE_1_0.txt"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/boost_ext_timers")
