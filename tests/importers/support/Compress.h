#pragma once
// gzip and zstd data made in memory, for tests of what reads them.

#include <zlib.h>
#include <zstd.h>

#include <string>
#include <utility>

namespace trainscope::test {

// `form`: the window bits of zlib, which say what is around the data.
inline std::string deflated(std::string text, int form = -MAX_WBITS) {
    z_stream zlib{};
    deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, form, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&zlib, text.size()) + 64, '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(text.data());
    zlib.avail_in = static_cast<uInt>(text.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    deflate(&zlib, Z_FINISH);
    out.resize(zlib.total_out);
    deflateEnd(&zlib);
    return out;
}

inline std::string gzipped(std::string text) {
    return deflated(std::move(text), 16 + MAX_WBITS);
}

// With the checksum that the zstd command writes.
inline std::string zstded(const std::string& text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
    ZSTD_freeCCtx(context);
    return out;
}

} // namespace trainscope::test
