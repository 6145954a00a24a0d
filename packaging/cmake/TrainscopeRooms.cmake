# A room is one folder, one static library and one include root that shows only that folder. A room sees
# another room's headers only by linking it, so an include against the direction of dependencies does not
# compile. Headers are included from the top: #include "core/model/Run.h".

# trainscope_room(core_model LINKS core_other PkgConfig::zstd PRIVATE SQLite::SQLite3)
function(trainscope_room name)
  cmake_parse_arguments(ROOM "" "" "LINKS;PRIVATE" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp *.h)
  if(NOT sources MATCHES "[.]cpp")
    message(FATAL_ERROR "${folder} has no sources")
  endif()
  add_library(${name} STATIC ${sources})
  trainscope_expose(${name} ${folder})
  target_link_libraries(${name} PUBLIC ${ROOM_LINKS} PRIVATE trainscope_options ${ROOM_PRIVATE})
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

# Every tst_*.cpp of the folder becomes one Qt Test executable and one test, labelled by its room.
# trainscope_tests(LINKS core_store)
function(trainscope_tests)
  cmake_parse_arguments(T "" "" "LINKS" ${ARGN})
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" room ${folder})
  file(GLOB sources CONFIGURE_DEPENDS tst_*.cpp)
  file(GLOB helpers CONFIGURE_DEPENDS support/*.cpp)
  foreach(source ${sources})
    get_filename_component(test ${source} NAME_WE)
    set(target ${room}_${test})
    add_executable(${target} ${source} ${helpers})
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE trainscope_options ${T_LINKS} Qt6::Test)
    add_test(NAME ${room}/${test} COMMAND ${target})
    set_tests_properties(${room}/${test} PROPERTIES LABELS "${room}" TIMEOUT 300
      ENVIRONMENT "${TRAINSCOPE_TEST_ENVIRONMENT}" SKIP_REGULAR_EXPRESSION "^SKIPPED: ")
  endforeach()
endfunction()
