# Compiler settings shared by every target, in one place.
option(TRAINSCOPE_TESTS "Build the tests" ON)
option(TRAINSCOPE_BENCH "Build the benchmarks" OFF)
option(TRAINSCOPE_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(TRAINSCOPE_NODE_ALONE "Build trainscope-node and what it needs, without Qt" OFF)
option(TRAINSCOPE_WERROR "A warning ends the build: for those who change the sources, and for CI" OFF)
set(TRAINSCOPE_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin) # beside share/, as they are installed

# moc of Qt 6.4 cannot read <concepts>, which <compare> includes, where it comes first; it need not.
set(CMAKE_AUTOMOC_MOC_OPTIONS -D_GLIBCXX_CONCEPTS)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM}) # as ccache wants it for precompiled headers
endif()

# Rooms of loops over bytes, samples and spans gain from -O3. All others wait for these and for the screen: -O1 takes
# a fifth less time to compile than -O2 there. Nobody asks for floating-point exceptions: GCC makes no vectors of loops
# with comparisons where somebody might.
set(TRAINSCOPE_HOT_OPTIONS $<$<CONFIG:Debug>:-O1> $<$<CONFIG:Release>:-O3> -fno-trapping-math)
add_library(trainscope_options INTERFACE)
target_compile_options(trainscope_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual $<$<BOOL:${TRAINSCOPE_WERROR}>:-Werror>
  # GCC 12 finds "maybe uninitialised" members inside std::optional and std::variant where there are none, and
  # overlapping or overlong copies inside std::string; it takes a batch of sources for a header that others include; and
  # it misses the members that designators leave out on purpose.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-subobject-linkage;-Wno-missing-field-initializers>
  # A batch of sources takes 1.2 GB in GCC and more; collecting garbage below 800 MB costs a tenth of the time.
  $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=800000>)
target_compile_definitions(trainscope_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_KEYWORDS QT_NO_FOREACH
  TRAINSCOPE_VERSION="${PROJECT_VERSION}")
target_link_libraries(trainscope_options INTERFACE fmt::fmt) # text everywhere; and one set of definitions for precompiled headers
if(TRAINSCOPE_SANITIZE)
  # Undefined behaviour would otherwise be told in the output of a test that passes.
  target_compile_options(trainscope_options INTERFACE -fsanitize=${TRAINSCOPE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(trainscope_options INTERFACE -fsanitize=${TRAINSCOPE_SANITIZE})
endif()
