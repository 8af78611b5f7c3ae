# find_package(Mastaba) gives Mastaba::mastaba (shared) and Mastaba::mastaba_static, and where it was built and MPI is found,
# Mastaba::mastaba_mpi.
include(CMakeFindDependencyMacro)
find_dependency(OpenCL)
# Only Mastaba::mastaba_static needs these.
find_package(Threads QUIET)
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(XXHASH QUIET IMPORTED_TARGET libxxhash)
    pkg_check_modules(JANSSON QUIET IMPORTED_TARGET jansson)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/MastabaTargets.cmake)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/MastabaMpiTargets.cmake)
    find_package(MPI 3.0 QUIET COMPONENTS C)
    if(MPI_C_FOUND)
        include(${CMAKE_CURRENT_LIST_DIR}/MastabaMpiTargets.cmake)
    endif()
endif()
