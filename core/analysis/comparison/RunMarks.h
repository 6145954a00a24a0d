#pragma once
// The letters by which compared runs are told apart.

#include <cstddef>
#include <span>
#include <string>

namespace trainscope::analysis {

// By the run's place: "A" … "Z", "AA", "AB" …
std::string runMark(std::size_t place);
// Of several, in ascending order: "A, C–F".
std::string runMarks(std::span<const std::size_t> places);

} // namespace trainscope::analysis
