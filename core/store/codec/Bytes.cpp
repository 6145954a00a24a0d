#include "core/store/codec/Bytes.h"

#include <zstd.h>

#include <memory>

namespace trainscope::store {
namespace {

constexpr int kLevel = 3;
thread_local bool isPlain = false;

struct ContextDeleter {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

} // namespace

StoredPlainly::StoredPlainly() {
    isPlain = true;
}
StoredPlainly::~StoredPlainly() {
    isPlain = false;
}

std::size_t zstdCompress(ByteView input, Bytes& out) {
    if (isPlain) {
        out.insert(out.end(), input.begin(), input.end());
        return input.size();
    }
    thread_local const std::unique_ptr<ZSTD_CCtx, ContextDeleter> context(ZSTD_createCCtx());
    const std::size_t before = out.size();
    out.resize(before + ZSTD_compressBound(input.size()));
    const std::size_t size = ZSTD_compressCCtx(context.get(), out.data() + before,
        out.size() - before, input.data(), input.size(), kLevel);
    out.resize(before + (ZSTD_isError(size) != 0U ? 0 : size));
    return out.size() - before;
}

bool zstdDecompress(ByteView input, std::span<std::uint8_t> output) {
    thread_local const std::unique_ptr<ZSTD_DCtx, ContextDeleter> context(ZSTD_createDCtx());
    const std::size_t size = ZSTD_decompressDCtx(
        context.get(), output.data(), output.size(), input.data(), input.size());
    return ZSTD_isError(size) == 0U && size == output.size();
}

} // namespace trainscope::store
