#include "core/model/Time.h"

#include <chrono>

namespace trainscope {

TimeNs wallClock() {
    return {std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::system_clock::now().time_since_epoch())
                .count()};
}

} // namespace trainscope
