#pragma once
// zstd over memory, as the chunk formats use it. Thread-safe: contexts are per thread.

#include "core/store/codec/Bytes.h"

namespace trainscope::store {

// Appends the compressed bytes to `out`; returns their number.
std::size_t zstdCompress(ByteView input, Bytes& out);

// Decompresses into exactly output.size() bytes; false when the input is anything else.
bool zstdDecompress(ByteView input, std::span<std::uint8_t> output);

} // namespace trainscope::store
