#include "core/analysis/replay/HostCalls.h"

#include <array>
#include <utility>

namespace trainscope::analysis {

namespace {

// In this order: the first that the name contains.
constexpr std::array<std::pair<std::string_view, CallKind>, 12> kCallWords{{
    {"EventRecord", CallKind::Record},
    {"StreamWaitEvent", CallKind::StreamWait},
    {"StreamSynchronize", CallKind::StreamSync},
    {"EventSynchronize", CallKind::EventSync},
    {"DeviceSynchronize", CallKind::DeviceSync},
    {"CtxSynchronize", CallKind::DeviceSync},
    {"FreeAsync", CallKind::Other},
    {"FreeHost", CallKind::Other},
    {"HostFree", CallKind::Other},
    {"MemcpyWithStream", CallKind::BlockingCopy},
    {"Memcpy", CallKind::BlockingCopy},
    {"Free", CallKind::DeviceSync},
}};

} // namespace

CallKind callKindOf(std::string_view name) {
    for (const auto& [word, kind] : kCallWords) {
        if (name.find(word) == std::string_view::npos)
            continue;
        const bool isLater
            = kind == CallKind::BlockingCopy && name.find("Async") != std::string_view::npos;
        return isLater ? CallKind::Copy : kind;
    }
    return CallKind::Other;
}

} // namespace trainscope::analysis
