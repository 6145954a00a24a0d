# Headers of others that nearly every source includes are parsed once, not once a file: a whole build takes less
# than half the time. Sources still include what they use; -DTRAINSCOPE_PRECOMPILED=OFF shows where they do not.
#
# They are shared among targets that differ in include folders and definitions, since they hold nothing that depends on
# what differs: GCC takes them so, Clang when told not to compare.
option(TRAINSCOPE_PRECOMPILED "Parse common headers once" ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-validate-pch -Xclang -fno-pch-timestamp>")
elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TRAINSCOPE_PRECOMPILED OFF)
endif()

set(TRAINSCOPE_STANDARD_HEADERS
  <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <optional> <set> <span>
  <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)

# trainscope_headers(NAME LINKS Qt6::Core HEADERS <vector> <QObject>): what other targets take by trainscope_precompile.
function(trainscope_headers name)
  if(NOT TRAINSCOPE_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(H "" "" "LINKS;OPTIONS;HEADERS" ${ARGN})
  set(nothing ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${nothing} CONTENT "")
  add_library(${name} OBJECT ${nothing})
  target_link_libraries(${name} PRIVATE trainscope_options ${H_LINKS})
  target_compile_options(${name} PRIVATE ${H_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${H_HEADERS})
endfunction()

function(trainscope_precompile target headers)
  if(TRAINSCOPE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()
