# A room is one folder, one static library and one include root that shows only that folder. A room sees
# another room's headers only by linking it, so an include against the direction of dependencies does not
# compile. Headers are included from the top: #include "core/model/Run.h".

# FOLDERS: of a room that is too large for one folder and cannot be several rooms.
# trainscope_room(core_model FOLDERS units LINKS core_other PkgConfig::zstd PRIVATE SQLite::SQLite3)
function(trainscope_room name)
  cmake_parse_arguments(ROOM "" "" "FOLDERS;LINKS;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp *.h)
  foreach(part ${ROOM_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${part}/*.cpp ${part}/*.h)
    list(APPEND sources ${more})
  endforeach()
  if(NOT sources MATCHES "[.]cpp")
    message(FATAL_ERROR "${folder} has no sources")
  endif()
  add_library(${name} STATIC ${sources})
  trainscope_expose(${name} ${folder})
  target_link_libraries(${name} PUBLIC ${ROOM_LINKS} PRIVATE trainscope_options ${ROOM_PRIVATE})
  trainscope_precompile(${name} trainscope_common_headers)
endfunction()

# Gives a target an include root holding nothing but its own folder.
function(trainscope_expose name folder)
  set(root ${CMAKE_SOURCE_DIR}/.build/rooms/${name})
  get_filename_component(parent ${root}/${folder} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  if(NOT EXISTS ${root}/${folder})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  endif()
  target_include_directories(${name} PUBLIC ${root})
endfunction()
