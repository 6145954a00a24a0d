#include "core/store/samples/ChunkJob.h"

#include "core/store/codec/ChunkCodec.h"
#include "core/store/codec/TimeCodec.h"

namespace trainscope::store {

ChunkOutput encodeChunk(const ChunkInput& input) {
    ChunkOutput output;
    encodeValues(input.values, output.values);
    if (!input.timesKnown && input.base)
        output.beside = encodeTimesBeside(*input.times, *input.base, output.times);
    else if (!input.timesKnown)
        encodeTimes(*input.times, output.times);
    output.figures = figuresOf(*input.times, input.values);
    output.periods.addBetween(*input.times);
    return output;
}

} // namespace trainscope::store
