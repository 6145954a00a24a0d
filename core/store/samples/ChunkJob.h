#pragma once
// What is made of a full chunk of samples, away from the session's thread: its encoded columns and
// its figures.

#include "core/store/codec/Bytes.h"
#include "core/store/samples/PeriodHistogram.h"
#include "core/store/samples/SampleFigures.h"
#include "core/store/samples/TimeShare.h"

#include <vector>

namespace trainscope::store {

struct ChunkInput {
    TimeColumn times; // in order, not empty
    std::vector<double> values;
    bool timesKnown = false; // an equal column is stored already
    TimeColumn base; // see TimeCodec.h; may be absent
};

struct ChunkOutput {
    Bytes values;
    Bytes times; // empty where known
    bool beside = false; // `times` are relative to the base
    SampleFigures figures;
    PeriodHistogram periods;
};

// Pure; any thread.
ChunkOutput encodeChunk(const ChunkInput& input);

} // namespace trainscope::store
