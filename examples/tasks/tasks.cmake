# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each file in this folder is a complete program, and a page of the site. Here all are one program, `tasks NAME`, since
# the compiler's work is mostly the same for all. Each stands in a namespace, behind what any of them includes.
file(GLOB task_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cu)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${task_files})
set(task_includes "#include <string_view>")
set(task_bodies "")
set(task_calls "")
foreach(file IN LISTS task_files)
  cmake_path(GET file STEM name)
  file(STRINGS ${file} includes REGEX "^#include ")
  list(APPEND task_includes ${includes})
  string(APPEND task_bodies "namespace task_${name} {\n#include \"${file}\"\n}\n")
  string(APPEND task_calls "  if (name == \"${name}\") return task_${name}::main();\n")
endforeach()
list(REMOVE_DUPLICATES task_includes)
list(JOIN task_includes "\n" task_includes)
file(CONFIGURE OUTPUT tasks.cu @ONLY CONTENT "@task_includes@
@task_bodies@
int main(int argc, char** argv) {
  const std::string_view name(argc > 1 ? argv[1] : \"\");
@task_calls@  std::puts(\"usage: tasks NAME\");
  return 2;
}
")
warpfold_add_example(tasks SOURCES ${CMAKE_CURRENT_BINARY_DIR}/tasks.cu)
target_include_directories(tasks PRIVATE ${PROJECT_SOURCE_DIR}/examples)
