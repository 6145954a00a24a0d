#include "importers/kineto/Resync.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace trainscope::importers::kineto {

namespace {

constexpr std::ptrdiff_t kLookahead = 512;

constexpr std::array<std::string_view, 11> kEventKeys{
    "ph", "name", "cat", "pid", "tid", "ts", "dur", "id", "args", "s", "bp"};
constexpr std::array<std::string_view, 7> kMemberKeys{"traceEvents", "baseTimeNanoseconds",
    "distributedInfo", "deviceProperties", "traceName", "displayTimeUnit", "schemaVersion"};

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

const char* skipBlanks(const char* p, const char* end) {
    while (p < end && isBlank(*p))
        ++p;
    return p;
}

// True if `p` stands at "key" and a colon, with key one of `keys`.
template <typename Keys>
bool isKey(const char* p, const char* end, const Keys& keys) {
    if (p >= end || *p != '"')
        return false;
    const char* const close = std::find(p + 1, std::min(end, p + 40), '"');
    if (close == end || *close != '"')
        return false;
    const std::string_view key(p + 1, static_cast<std::size_t>(close - p - 1));
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
        return false;
    const char* const colon = skipBlanks(close + 1, end);
    return colon < end && *colon == ':';
}

bool isMemberValue(const char* brace, const char* begin) {
    const char* p = brace;
    while (p > begin && isBlank(p[-1]))
        --p;
    return p > begin && p[-1] == ':';
}

} // namespace

ResyncPoint findResync(const char* from, const char* end, const char* begin, bool isLastText) {
    for (const char* p = from; p < end; ++p) {
        if (*p != '{' && *p != '"')
            continue;
        if (!isLastText && end - p < kLookahead)
            return {ResyncPoint::Kind::None, p};
        const char* const limit = std::min(end, p + kLookahead);
        if (*p == '"' && isKey(p, limit, kMemberKeys))
            return {ResyncPoint::Kind::Member, p};
        if (*p == '{' && !isMemberValue(p, begin)
            && isKey(skipBlanks(p + 1, limit), limit, kEventKeys))
            return {ResyncPoint::Kind::Event, p};
    }
    return {ResyncPoint::Kind::None, end};
}

const char* lastEventStart(const char* begin, const char* end) {
    for (const char* p = end; p-- > begin;) {
        if (*p != '{')
            continue;
        const char* comma = p;
        while (comma > begin && isBlank(comma[-1]))
            --comma;
        if (comma == begin || comma[-1] != ',')
            continue;
        --comma;
        while (comma > begin && isBlank(comma[-1]))
            --comma;
        if (comma > begin && comma[-1] == '}' && isKey(skipBlanks(p + 1, end), end, kEventKeys))
            return p;
    }
    return nullptr;
}

} // namespace trainscope::importers::kineto
