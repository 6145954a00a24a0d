#include "importers/sqlite/DatabaseHeader.h"

namespace trainscope::importers {

namespace {

std::uint64_t bigEndian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes)
        number = number << 8U | static_cast<unsigned char>(byte);
    return number;
}

} // namespace

DatabaseHeader databaseHeaderOf(std::string_view head) {
    constexpr std::size_t kPageSize = 16;
    constexpr std::size_t kChangeCounter = 24;
    constexpr std::size_t kPages = 28;
    constexpr std::size_t kVersionValidFor = 92;
    DatabaseHeader header;
    if (head.size() >= kPageSize + 2) {
        const std::uint64_t size = bigEndian(head.substr(kPageSize, 2));
        header.pageSize = size == 1 ? 65'536 : size;
    }
    // The count of pages is that of the change that the counter tells, or out of date.
    if (head.size() >= DatabaseHeader::kBytes
        && head.substr(kChangeCounter, 4) == head.substr(kVersionValidFor, 4))
        header.pages = bigEndian(head.substr(kPages, 4));
    return header;
}

} // namespace trainscope::importers
