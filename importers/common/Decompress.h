#pragma once
// Streams that take gzip (RFC 1952) or zstd (RFC 8878) off another stream. Both read concatenated
// members or frames to the end, end quietly at garbage behind a complete one, and after cut or
// damaged data deliver what was readable and then fail with Unreadable. Memory is bounded: zstd
// windows above 128 MiB are refused.

#include "importers/common/Source.h"

#include <memory>
#include <string>
#include <string_view>

namespace trainscope::importers {

enum class Compression { None, Gzip, Zstd };

inline constexpr std::size_t kMagicBytes = 4;

// Judged by the magic number at the start of `head`.
Compression compressionOf(std::string_view head);

// `where` names the source in errors.
Result<std::unique_ptr<ByteStream>> decompressed(
    Compression kind, std::unique_ptr<ByteStream> raw, const std::string& where);

} // namespace trainscope::importers
