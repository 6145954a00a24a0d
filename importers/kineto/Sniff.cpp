#include "importers/kineto/Sniff.h"

namespace trainscope::importers::kineto {

namespace {

// `"key"` followed by a colon, anywhere.
bool hasKey(std::string_view head, std::string_view key) {
    for (std::size_t at = head.find(key); at != std::string_view::npos;
         at = head.find(key, at + 1)) {
        const std::size_t next = head.find_first_not_of(" \t\r\n", at + key.size());
        if (next != std::string_view::npos && head[next] == ':')
            return true;
    }
    return false;
}

// An array whose first element is an object with a phase, the older and foreign form.
bool isArrayOfEvents(std::string_view head) {
    const std::size_t brace = head.find_first_not_of(" \t\r\n", 1);
    if (brace == std::string_view::npos || head[brace] != '{')
        return false;
    constexpr std::size_t kOneEvent = 4096;
    const std::string_view first = head.substr(brace, kOneEvent);
    return hasKey(first, "\"ph\"") && (hasKey(first, "\"ts\"") || hasKey(first, "\"name\""));
}

} // namespace

Confidence sniffTrace(std::string_view head) {
    const std::size_t start = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (start == std::string_view::npos)
        return 0;
    head.remove_prefix(start);
    if (hasKey(head, "\"traceEvents\""))
        return 95;
    if (head.front() == '[')
        return isArrayOfEvents(head) ? 80 : 0;
    // A large pg_config can push traceEvents behind the head; execution traces have nodes instead.
    const bool hasKinetoMembers = hasKey(head, "\"schemaVersion\"")
        && (hasKey(head, "\"deviceProperties\"") || hasKey(head, "\"distributedInfo\""));
    const bool isExecutionTrace = hasKey(head, "\"nodes\"") || hasKey(head, "\"schema\"");
    return head.front() == '{' && hasKinetoMembers && !isExecutionTrace ? 70 : 0;
}

} // namespace trainscope::importers::kineto
