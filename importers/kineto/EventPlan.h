#pragma once
// How to read events of one shape: equal category and phase, the same arguments in the same order.

#include "importers/kineto/EventKinds.h"
#include "importers/kineto/TraceEvent.h"

#include <cstdint>
#include <vector>

namespace trainscope::importers::kineto {

struct EventPlan {
    static constexpr std::size_t kNoArgument = ~std::size_t{0};

    // Neighbouring arguments that are kept as detail: [first, last] of the event's args.
    struct Details {
        std::size_t first = 0;
        std::size_t last = 0;
        std::size_t lead = 0; // bytes from the first one's key to its value
    };

    char phase = '\0'; // 0: none, or more than one character
    std::uint32_t category = 0; // among those of the RecordMaker
    EventKind kind;
    bool isForwardBackward = false; // arrows between operators, of no use here
    std::size_t correlation = kNoArgument; // index in args, of the last of that name
    std::size_t stream = kNoArgument;
    std::size_t device = kNoArgument;
    std::vector<Details> details;
};

} // namespace trainscope::importers::kineto
