# find_package(drystone) gives drystone::drystone, the shared library, and drystone::static.
get_filename_component(_drystone_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Threads REQUIRED)
if(NOT TARGET drystone::drystone)
  add_library(drystone::drystone SHARED IMPORTED)
  set_target_properties(drystone::drystone PROPERTIES
    IMPORTED_LOCATION "${_drystone_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}drystone_c${CMAKE_SHARED_LIBRARY_SUFFIX}"
    IMPORTED_NO_SONAME TRUE
    INTERFACE_INCLUDE_DIRECTORIES "${_drystone_prefix}/include")
  add_library(drystone::static STATIC IMPORTED)
  set_target_properties(drystone::static PROPERTIES
    IMPORTED_LOCATION "${_drystone_prefix}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}drystone_c${CMAKE_STATIC_LIBRARY_SUFFIX}"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};m"
    INTERFACE_INCLUDE_DIRECTORIES "${_drystone_prefix}/include")
endif()
unset(_drystone_prefix)
