# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Ranks that are processes of MPI, and ranks of NCCL, where these libraries are there.
warpfold_find_ranks(mpi)
if(TARGET warpfold::mpi AND MPIEXEC_EXECUTABLE AND NOT WARPFOLD_DEVICE_CODE_ONLY)
  warpfold_add_program(ranks_mpi SOURCES ranks/mpi.cu LIBRARIES warpfold::mpi)
  warpfold_set_up_test(ranks_mpi OWN_HEADERS UNSANITIZED)
  foreach(count RANGE 1 5)
    add_test(NAME ranks_mpi.of_${count} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${count}
      ${MPIEXEC_PREFLAGS} $<TARGET_FILE:ranks_mpi> ${MPIEXEC_POSTFLAGS})
    # Open MPI refuses to start as root, or more processes than cores.
    set_tests_properties(ranks_mpi.of_${count} PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "all ranks passed" ENVIRONMENT
      "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1")
  endforeach()
  # MPICH's mpiexec can let the others live. It tells them by a signal, which must not end them.
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} -help OUTPUT_VARIABLE help ERROR_VARIABLE help)
  if(help MATCHES "disable-auto-cleanup")
    add_test(NAME ranks_mpi.of_which_one_dies COMMAND ${MPIEXEC_EXECUTABLE} -disable-auto-cleanup
      ${MPIEXEC_NUMPROC_FLAG} 3 sh -c "trap '' USR1; $<TARGET_FILE:ranks_mpi> killed || true")
    set_tests_properties(ranks_mpi.of_which_one_dies PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION "the others go on")
  endif()
else()
  add_test(NAME ranks_mpi COMMAND ${CMAKE_COMMAND} -E echo "skipped: no MPI was found")
  set_tests_properties(ranks_mpi PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
endif()

if(NOT WARPFOLD_USE_EMULATOR)
  warpfold_find_ranks(nccl)
  if(TARGET warpfold::nccl)
    warpfold_add_test(ranks_nccl SOURCES ranks/nccl.cu LIBRARIES warpfold::nccl)
    target_link_libraries(ranks_nccl PRIVATE GTest::gtest_main)
  else()
    add_test(NAME ranks_nccl COMMAND ${CMAKE_COMMAND} -E echo "skipped: no NCCL was found")
    set_tests_properties(ranks_nccl PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
  endif()
endif()
