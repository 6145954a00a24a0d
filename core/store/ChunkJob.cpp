#include "core/store/ChunkJob.h"

#include "core/store/ChunkCodec.h"
#include "core/store/TimeCodec.h"

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
