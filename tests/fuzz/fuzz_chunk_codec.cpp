// Whatever the bytes of a chunk, decoding ends with data or with "no", within memory it may have.

#include "core/store/codec/SpanCodec.h"
#include "core/store/codec/TimeCodec.h"
#include "core/store/codec/ValueCodec.h"
#include "core/store/samples/Pyramid.h"
#include "core/store/spans/LodPage.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace store = trainscope::store;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 3)
        return 0;
    // The first two bytes are the number of rows that the catalogue claims.
    const std::size_t rows = (std::size_t{data[0]} | std::size_t{data[1]} << 8U) % 5000;
    const store::ByteView bytes(data + 2, size - 2);
    std::vector<std::int64_t> times(rows);
    (void)store::decodeTimes(bytes, bytes, times);
    std::vector<double> values(rows);
    (void)store::decodeValues(bytes, values);
    std::vector<store::BucketNode> nodes;
    (void)store::decodeNodes(bytes, 1.0, nodes);
    store::SpanChunk spans;
    (void)store::decodeSpans(bytes, spans);
    store::LodPage groups;
    (void)store::decodePage(bytes, groups);
    std::vector<store::NameMask> names;
    (void)store::decodeNames(bytes, names);
    return 0;
}
