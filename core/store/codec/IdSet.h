#pragma once
// A set of ids that were given out one after the other, as bits. Ids beyond 2^31
// are not kept.
//
// Format: varint number of ids, then columns (IntColumn.h) of at most kMaxColumn ids, ascending.

#include "core/store/codec/Bytes.h"

#include <cstdint>
#include <vector>

namespace trainscope::store {

class IdSet {
public:
    void add(std::int64_t id);
    void add(const IdSet& other);
    void remove(const IdSet& other);
    [[nodiscard]] bool contains(std::int64_t id) const;
    [[nodiscard]] std::vector<std::int64_t> list() const; // ascending

    void encode(Bytes& out) const;
    // False when the bytes are no such set; it is empty then.
    bool decode(ByteView bytes);

private:
    std::vector<std::uint64_t> m_words;
};

} // namespace trainscope::store
