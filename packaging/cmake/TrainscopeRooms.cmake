# A room is one static library and one include root that shows only its own folders. A room sees another room's
# headers only by linking it, so an include against the direction of dependencies does not compile. Inside a room
# the order of its folders is checked by tests/lint/include_order.sh. Headers are included from the top of the
# tree: #include "core/model/Run.h".
#
# Sources are compiled in unity batches, one or more for each folder, since most of a file's time goes to the
# standard headers. Names in anonymous namespaces are unique within a room, which clang-tidy reads as one source.
set(TRAINSCOPE_BATCH 14 CACHE STRING "Sources compiled together at most; 1 for none")

# trainscope_room(core_model FOLDERS model catalogue LINKS core_other PkgConfig::zstd PRIVATE SQLite::SQLite3)
# HOT: a room of loops over bytes, samples and spans (TRAINSCOPE_HOT_OPTIONS). They alone are optimised for the tests,
# since the rest takes longer to optimise than to run. EXCEPT: folders below that are rooms of their own.
function(trainscope_room name)
  cmake_parse_arguments(ROOM "HOT" "" "FOLDERS;EXCEPT;LINKS;PRIVATE" ${ARGN})
  trainscope_sources(sources ${ROOM_FOLDERS})
  foreach(folder IN LISTS ROOM_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "/${folder}/")
  endforeach()
  add_library(${name} STATIC ${sources})
  trainscope_unity(${name} ${sources})
  trainscope_expose(${name} ${ROOM_FOLDERS})
  target_link_libraries(${name} PUBLIC ${ROOM_LINKS} PRIVATE trainscope_options ${ROOM_PRIVATE})
  if(ROOM_HOT)
    target_compile_options(${name} PRIVATE ${TRAINSCOPE_HOT_OPTIONS})
    trainscope_precompile(${name} trainscope_hot_headers)
  else()
    trainscope_precompile(${name} trainscope_common_headers)
  endif()
endfunction()

# All C++ files below some folders.
function(trainscope_sources result)
  set(sources)
  foreach(folder ${ARGN})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h)
    if(NOT found MATCHES "[.]cpp")
      message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/${folder} has no sources")
    endif()
    list(APPEND sources ${found})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# Compiles the sources of a target in batches, each of one folder.
function(trainscope_unity target)
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  set(folders ${sources})
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(folder IN LISTS folders)
    set(inside ${sources})
    list(FILTER inside INCLUDE REGEX "^${folder}/[^/]*$")
    list(LENGTH inside count)
    math(EXPR batches "(${count} + ${TRAINSCOPE_BATCH} - 1) / ${TRAINSCOPE_BATCH}")
    file(RELATIVE_PATH batch ${CMAKE_SOURCE_DIR} ${folder})
    string(REPLACE "/" "_" batch ${batch})
    set(index 0)
    foreach(source IN LISTS inside)
      math(EXPR part "${index} * ${batches} / ${count}")
      get_source_file_property(alone ${source} SKIP_UNITY_BUILD_INCLUSION)
      if(NOT alone)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${batch}_${part})
      endif()
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()

# Gives a target an include root holding nothing but its own folders.
function(trainscope_expose name)
  set(root ${CMAKE_BINARY_DIR}/rooms/${name})
  foreach(folder ${ARGN})
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    get_filename_component(parent ${root}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    if(NOT IS_SYMLINK ${root}/${folder})
      file(REMOVE_RECURSE ${root}/${folder})
      file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
    endif()
  endforeach()
  target_include_directories(${name} PUBLIC ${root})
endfunction()
