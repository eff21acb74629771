# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The reference site: cmake --build <build folder> --target docs, then open site/index.html there.
find_program(WARPFOLD_DOXYGEN doxygen)
find_path(WARPFOLD_DOXYGEN_THEME doxygen-awesome.css PATHS /usr/share PATH_SUFFIXES doxygen-awesome-css)
find_program(WARPFOLD_DOCS_PYTHON python3)
mark_as_advanced(WARPFOLD_DOXYGEN WARPFOLD_DOXYGEN_THEME WARPFOLD_DOCS_PYTHON)
if(WARPFOLD_DOXYGEN AND WARPFOLD_DOXYGEN_THEME AND WARPFOLD_DOCS_PYTHON)
  set(docs_folder ${PROJECT_SOURCE_DIR}/cmake/docs)
  set(docs_stage ${PROJECT_BINARY_DIR}/site_input)
  set(docs_site ${PROJECT_BINARY_DIR}/site)
  configure_file(${docs_folder}/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
  add_custom_target(docs
    COMMAND ${WARPFOLD_DOCS_PYTHON} -B ${docs_folder}/pages.py ${PROJECT_SOURCE_DIR} ${docs_stage} ${docs_site}
    COMMAND ${WARPFOLD_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMAND ${WARPFOLD_DOCS_PYTHON} -B ${docs_folder}/pages.py ${docs_site}
    COMMAND ${CMAKE_COMMAND} -E echo "The site: ${docs_site}/index.html"
    VERBATIM)
else()
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo "The site needs Doxygen, its theme and Python: apt-get install doxygen doxygen-awesome-css python3"
    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
