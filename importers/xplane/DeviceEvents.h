#pragma once
// Meaning of the lines and events of a device's plane.

#include "importers/trace/DetailText.h"
#include "importers/xplane/Xspace.h"

#include <string>

namespace trainscope::importers::xplane {

enum class LineUse { Work, Annotations, Steps, None };

// Lines that the profiler derives from the others (modules, scopes, steps) hold no work of their
// own; operators of XLA are derived where there are streams.
LineUse useOf(const Plane& plane, const Line& line);
bool isAsync(const Line& line);
bool isOfOperators(const Line& line); // operators of XLA

struct DeviceEvent {
    std::string name;
    SpanKind kind = SpanKind::Kernel;
    bool holdsOthers = false; // a loop, a condition, a call
    bool statesWork = false;
};
// An operator's name says its category where it is not in it: "fusion.3 (convolution fusion)".
// `detail` gets what is known besides.
DeviceEvent deviceEventOf(
    const Line& line, const EventKind* kind, const Stats& stats, DetailText& detail);

// "MemcpyH2D" → "Memcpy HtoD", as traces of PyTorch call it; empty: it is no copy.
std::string copyNameOf(std::string_view name);

} // namespace trainscope::importers::xplane
